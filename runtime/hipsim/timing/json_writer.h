// Writes JSON into a string. Commas are its business, nesting the caller's.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace hipsim::timing {

class JsonWriter {
public:
  JsonWriter &object() { return open('{'); }
  JsonWriter &array() { return open('['); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &endArray() { return close(']'); }
  JsonWriter &key(std::string_view name) {
    separate();
    quote(name);
    text += ':';
    first = true; // No comma before the value.
    return *this;
  }
  JsonWriter &value(std::string_view v) {
    separate();
    quote(v);
    return *this;
  }
  JsonWriter &value(const char *v) { return value(std::string_view(v)); }
  JsonWriter &value(bool v) { return raw(v ? "true" : "false"); }
  JsonWriter &value(uint64_t v) { return raw(std::to_string(v)); }
  JsonWriter &value(uint32_t v) { return raw(std::to_string(v)); }
  JsonWriter &value(double v) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.10g", std::isfinite(v) ? v : 0.0);
    return raw(buffer);
  }
  template <class T> JsonWriter &field(std::string_view name, const T &v) {
    return key(name).value(v);
  }

  std::string text;

private:
  void separate() {
    if (!first)
      text += ',';
    first = false;
  }
  JsonWriter &open(char c) {
    separate();
    text += c;
    first = true;
    return *this;
  }
  JsonWriter &close(char c) {
    text += c;
    first = false;
    return *this;
  }
  JsonWriter &raw(std::string_view v) {
    separate();
    text += v;
    return *this;
  }
  void quote(std::string_view v) {
    text += '"';
    for (char c : v) {
      if (c == '"' || c == '\\') {
        text += '\\';
        text += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
        text += buffer;
      } else {
        text += c;
      }
    }
    text += '"';
  }
  bool first = true;
};

} // namespace hipsim::timing

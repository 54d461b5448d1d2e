// The index of a bundle as JSON.
//
// Every struct is described once, by a list of (key, member); writing and
// reading walk the same list, so they cannot disagree.
#include "runtime/bundle/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace moec::format {
namespace {

using Json = nlohmann::json;

template <class V> void describe(V &v, KernelArg &a) {
  v("name", a.name);
  v("offset", a.offset);
  v("size", a.size);
}

template <class V> void describe(V &v, Kernel &k) {
  v("name", k.name);
  v("stage", k.stage);
  v("symbol", k.symbol);
  v("problem", k.problem);
  v("target", k.target);
  v("schedule", k.schedule);
  v("buckets", k.buckets);
  v("args", k.args);
  v("kernargBytes", k.kernargBytes);
  v("block", k.block);
  v("vgpr", k.vgpr);
  v("agpr", k.agpr);
  v("sgpr", k.sgpr);
  v("vgprSpills", k.vgprSpills);
  v("sgprSpills", k.sgprSpills);
  v("ldsBytes", k.ldsBytes);
  v("scratchBytes", k.scratchBytes);
  v("wavesPerSimd", k.wavesPerSimd);
  v("code", k.code);
}

template <class V> void describe(V &v, Text &t) {
  v("kind", t.kind);
  v("name", t.name);
  v("text", t.text);
}

template <class V> void describe(V &v, Binding &b) {
  v("kind", b.kind);
  v("tensor", b.tensor);
  v("offset", b.offset);
  v("tokenBytes", b.tokenBytes);
  v("value", b.value);
}

template <class V> void describe(V &v, Launch &l) {
  v("kernel", l.kernel);
  v("grid", l.grid);
  v("args", l.args);
}

template <class V> void describe(V &v, Tensor &t) {
  v("name", t.name);
  v("role", t.role);
  v("dtype", t.dtype);
  v("shape", t.shape);
  v("stage", t.stage);
  v("layout", t.layout);
  v("projections", t.projections);
  v("group", t.group);
  v("scaleType", t.scaleType);
  v("bytes", t.bytes);
  v("scaleBytes", t.scaleBytes);
}

template <class V> void describe(V &v, Plan &p) {
  v("layer", p.layer);
  v("problem", p.problem);
  v("target", p.target);
  v("bucket", p.bucket);
  v("passTokens", p.passTokens);
  v("workspaceBytes", p.workspaceBytes);
  v("tensors", p.tensors);
  v("launches", p.launches);
}

template <class V> void describe(V &v, Blob &b) {
  v("hash", b.hash);
  v("offset", b.offset);
  v("bytes", b.bytes);
  v("rawBytes", b.rawBytes);
}

/// The whole index: the bundle without its header fields and code bytes.
struct Index {
  std::vector<Blob> code;
  std::vector<Kernel> kernels;
  std::vector<Plan> plans;
  std::vector<Text> texts;
};

template <class V> void describe(V &v, Index &i) {
  v("code", i.code);
  v("kernels", i.kernels);
  v("plans", i.plans);
  v("texts", i.texts);
}

template <class T>
concept Described = std::is_class_v<T> && !std::is_same_v<T, std::string>;

constexpr struct {
  Binding::Kind kind;
  const char *name;
} bindingKinds[] = {
    {Binding::Kind::Tensor, "tensor"},
    {Binding::Kind::Workspace, "workspace"},
    {Binding::Kind::Int32, "int32"},
    {Binding::Kind::Tokens, "tokens"},
};

/// Walks a description and makes JSON of it.
class Writer {
public:
  template <class T> void operator()(const char *key, T &member) {
    object[key] = toJson(member);
  }
  Json take() { return std::move(object); }

private:
  static Json toJson(const std::string &text) { return text; }
  static Json toJson(uint32_t value) { return value; }
  static Json toJson(uint64_t value) { return value; }
  static Json toJson(int64_t value) { return value; }
  static Json toJson(Binding::Kind kind) {
    for (const auto &entry : bindingKinds)
      if (entry.kind == kind)
        return entry.name;
    return nullptr;
  }
  static Json toJson(const uint32_t (&dims)[3]) {
    return Json{dims[0], dims[1], dims[2]};
  }
  template <class T> static Json toJson(std::vector<T> &list) {
    Json array = Json::array();
    for (T &element : list)
      array.push_back(toJson(element));
    return array;
  }
  template <class T>
    requires Described<T>
  static Json toJson(T &value) {
    Writer writer;
    describe(writer, value);
    return writer.take();
  }

  Json object = Json::object();
};

/// Walks a description and fills it from JSON; remembers the first error and
/// where it was. Absent keys are errors: a newer field needs a new version.
class Reader {
public:
  Reader(const Json &object, std::string path, std::string &error)
      : object(object), path(std::move(path)), error(error) {
    if (!object.is_object())
      fail("", "an object");
  }

  template <class T> void operator()(const char *key, T &member) {
    if (!error.empty())
      return;
    auto found = object.find(key);
    if (found == object.end())
      error = fmt::format("{}{} is missing", path, key);
    else
      read(*found, path + key, member);
  }

private:
  void fail(const std::string &where, const char *wanted) {
    error = fmt::format("{} is not {}", where.empty() ? path : where, wanted);
  }
  void read(const Json &json, const std::string &where, std::string &into) {
    if (!json.is_string())
      return fail(where, "a string");
    into = json.get_ref<const std::string &>();
  }
  void read(const Json &json, const std::string &where, uint64_t &into) {
    if (!json.is_number_unsigned())
      return fail(where, "an unsigned number");
    into = json.get<uint64_t>();
  }
  void read(const Json &json, const std::string &where, uint32_t &into) {
    uint64_t wide = 0;
    read(json, where, wide);
    if (wide > std::numeric_limits<uint32_t>::max())
      return fail(where, "a 32-bit number");
    into = static_cast<uint32_t>(wide);
  }
  void read(const Json &json, const std::string &where, int64_t &into) {
    if (!json.is_number_integer() ||
        (json.is_number_unsigned() &&
         json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())))
      return fail(where, "a 64-bit number");
    into = json.get<int64_t>();
  }
  void read(const Json &json, const std::string &where, Binding::Kind &into) {
    if (json.is_string())
      for (const auto &entry : bindingKinds)
        if (json.get_ref<const std::string &>() == entry.name) {
          into = entry.kind;
          return;
        }
    fail(where, "tensor, workspace, int32 or tokens");
  }
  void read(const Json &json, const std::string &where, uint32_t (&into)[3]) {
    if (!json.is_array() || json.size() != 3)
      return fail(where, "an array of three numbers");
    for (size_t i = 0; i < 3; ++i)
      read(json[i], fmt::format("{}[{}]", where, i), into[i]);
  }
  template <class T>
  void read(const Json &json, const std::string &where, std::vector<T> &into) {
    if (!json.is_array())
      return fail(where, "an array");
    into.resize(json.size());
    for (size_t i = 0; i < json.size() && error.empty(); ++i)
      read(json[i], fmt::format("{}[{}]", where, i), into[i]);
  }
  template <class T>
    requires Described<T>
  void read(const Json &json, const std::string &where, T &into) {
    Reader reader(json, where + ".", error);
    describe(reader, into);
  }

  const Json &object;
  std::string path;
  std::string &error;
};

} // namespace

std::string indexToJson(const Bundle &bundle, const std::vector<Blob> &blobs) {
  Index index{blobs, bundle.kernels, bundle.plans, bundle.texts};
  Writer writer;
  describe(writer, index);
  return writer.take().dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status indexFromJson(std::string_view text, Bundle &bundle,
                     std::vector<Blob> &blobs) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return {ErrorCode::Content, "the index is not JSON"};
  Index index;
  std::string error;
  Reader reader(json, "", error);
  describe(reader, index);
  if (!error.empty())
    return {ErrorCode::Content, "the index is malformed: " + error};
  blobs = std::move(index.code);
  bundle.kernels = std::move(index.kernels);
  bundle.plans = std::move(index.plans);
  bundle.texts = std::move(index.texts);
  return {};
}

} // namespace moec::format

// Problem JSON and the checks on it. The tables say what exists and what this
// release computes; the code only reads them.
#include "runtime/base/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace moec {
namespace {

using Json = nlohmann::json;

struct IntField {
  const char *key;
  int64_t Problem::*member;
  bool required;
};
constexpr IntField intFields[] = {
    {"hidden", &Problem::hidden, true}, {"inter", &Problem::inter, true},
    {"experts", &Problem::experts, true}, {"topk", &Problem::topk, true},
    {"group", &Problem::group, false},
};

struct TextField {
  const char *key;
  std::string Problem::*member;
  bool required;
};
constexpr TextField textFields[] = {
    {"weights", &Problem::weights, true},
    {"scale", &Problem::scale, false},
    {"act_dtype", &Problem::actDtype, false},
    {"act_fn", &Problem::actFn, false},
};

struct NumberField {
  const char *key;
  std::optional<double> Problem::*member;
};
constexpr NumberField numberFields[] = {
    {"alpha", &Problem::alpha},
    {"beta", &Problem::beta},
    {"limit", &Problem::limit},
};

/// A name that exists, and whether this release computes it.
struct Known {
  const char *name;
  bool supported;
};
constexpr Known weightFormats[] = {
    {"int4", true},   {"int8", false},  {"fp8", false},
    {"fp8_block", false}, {"mxfp8", false}, {"mxfp4", false},
    {"nvfp4", false}, {"bf16", false},
};
constexpr Known scaleTypes[] = {
    {"bf16", true}, {"f16", false}, {"f32", false}, {"e8m0", false}};
constexpr Known actDtypes[] = {
    {"bf16", true}, {"f16", false}, {"fp8", false}, {"mxfp8", false}};
constexpr Known actFns[] = {
    {"silu", true},       {"swiglu", false}, {"gelu", false},
    {"gelu_tanh", false}, {"relu2", false},  {"situ", false}};

constexpr int64_t groupSizes[] = {32, 64, 128, 256};
constexpr int64_t maxExperts = 1024, maxTopk = 64, stepK = 32;
constexpr int64_t maxSize = 1 << 24; // Row and channel indices stay far from i32.

class Checker {
public:
  explicit Checker(const Problem &problem) : problem(problem) {}

  std::vector<Reason> run() {
    checkRange("experts", problem.experts, 1, maxExperts);
    checkRange("topk", problem.topk, 1, maxTopk);
    checkSize("hidden", problem.hidden);
    checkSize("inter", problem.inter);
    checkName("weights", problem.weights, weightFormats);
    checkName("scale", problem.scale, scaleTypes);
    checkName("act_dtype", problem.actDtype, actDtypes);
    checkName("act_fn", problem.actFn, actFns);
    if (problem.weights == "int4" &&
        std::find(std::begin(groupSizes), std::end(groupSizes),
                  problem.group) == std::end(groupSizes))
      add(ErrorCode::Unsupported, "group-size",
          fmt::format("group is {}; int4 weights have group scales of {} k",
                      problem.group, fmt::join(groupSizes, ", ")));
    for (const NumberField &field : numberFields)
      checkUnhonoured(field);
    if (problem.bias)
      add(ErrorCode::Unsupported, "bias",
          "bias is true; this release adds no bias to the expert GEMMs");
    malformed.insert(malformed.end(), unsupported.begin(), unsupported.end());
    return std::move(malformed);
  }

private:
  void add(ErrorCode code, std::string id, std::string message) {
    (code == ErrorCode::Usage ? malformed : unsupported)
        .push_back({code, std::move(id), std::move(message)});
  }

  void checkRange(const char *key, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
      add(ErrorCode::Usage, std::string(key) + "-range",
          fmt::format("{} is {}; it must be {} to {}", key, value, low, high));
  }

  void checkSize(const char *key, int64_t value) {
    if (value < 1 || value > maxSize)
      return checkRange(key, value, stepK, maxSize);
    if (value % stepK != 0)
      add(ErrorCode::Usage, std::string(key) + "-multiple",
          fmt::format("{} is {}; it must be a multiple of {}, because it is the "
                      "K of one of the expert GEMMs",
                      key, value, stepK));
  }

  template <size_t N>
  void checkName(const char *key, const std::string &name,
                 const Known (&table)[N]) {
    std::vector<std::string> all, supported;
    for (const Known &known : table) {
      if (name == known.name && known.supported)
        return;
      all.push_back(known.name);
      if (known.supported)
        supported.push_back(known.name);
    }
    bool exists = std::find(all.begin(), all.end(), name) != all.end();
    if (exists)
      add(ErrorCode::Unsupported, std::string(key) + "-unsupported",
          fmt::format("{} is '{}'; this release computes {}", key, name,
                      fmt::join(supported, ", ")));
    else
      add(ErrorCode::Usage, std::string(key) + "-unknown",
          fmt::format("{} is '{}'; known are {}", key, name,
                      fmt::join(all, ", ")));
  }

  /// A parameter that no kernel reads is an error, never ignored (R08).
  void checkUnhonoured(const NumberField &field) {
    if (problem.*field.member)
      add(ErrorCode::Unsupported, std::string(field.key) + "-unsupported",
          fmt::format("{} is {}; the activation '{}' does not take it in this "
                      "release",
                      field.key, *(problem.*field.member), problem.actFn));
  }

  const Problem &problem;
  std::vector<Reason> malformed, unsupported;
};

} // namespace

std::string Problem::canonical() const {
  Json json; // nlohmann's objects are sorted maps.
  for (const IntField &field : intFields)
    json[field.key] = this->*field.member;
  for (const TextField &field : textFields)
    json[field.key] = this->*field.member;
  for (const NumberField &field : numberFields)
    if (this->*field.member)
      json[field.key] = *(this->*field.member);
  if (bias)
    json["bias"] = true;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static Status problemError(const std::string &message) {
  return {ErrorCode::Content, "problem: " + message};
}

static Status unknownKey(const std::string &key) {
  std::vector<std::string> known;
  for (const IntField &field : intFields)
    known.push_back(field.key);
  for (const TextField &field : textFields)
    known.push_back(field.key);
  for (const NumberField &field : numberFields)
    known.push_back(field.key);
  known.push_back("bias");
  return problemError(
      fmt::format("unknown key '{}'; known are {}", key, fmt::join(known, ", ")));
}

/// Stores one key of the JSON object into `problem`.
static Status setField(Problem &problem, const std::string &key,
                       const Json &value) {
  auto wrongType = [&](const char *wanted) {
    return problemError(fmt::format(
        "'{}' must be {}, found {}", key, wanted,
        value.dump(-1, ' ', false, Json::error_handler_t::replace)));
  };
  for (const IntField &field : intFields)
    if (key == field.key) {
      bool fits = value.is_number_integer() &&
                  (!value.is_number_unsigned() ||
                   value.get<uint64_t>() <=
                       uint64_t(std::numeric_limits<int64_t>::max()));
      if (!fits)
        return wrongType("an integer");
      problem.*field.member = value.get<int64_t>();
      return {};
    }
  for (const TextField &field : textFields)
    if (key == field.key) {
      if (!value.is_string())
        return wrongType("a string");
      problem.*field.member = value.get<std::string>();
      return {};
    }
  for (const NumberField &field : numberFields)
    if (key == field.key) {
      if (value.is_null())
        return {};
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        return wrongType("a finite number");
      problem.*field.member = value.get<double>();
      return {};
    }
  if (key == "bias") {
    if (!value.is_boolean())
      return wrongType("true or false");
    problem.bias = value.get<bool>();
    return {};
  }
  if (key == "target" || key == "comment")
    return {};
  return unknownKey(key);
}

Expected<Problem> parseProblem(std::string_view text) {
  // JSON libraries keep the last of two equal keys, or the first: which of them
  // was meant is not for us to guess.
  std::set<std::string> keys;
  std::optional<std::string> twice;
  auto note = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::key && depth == 1 &&
        !keys.insert(parsed.get<std::string>()).second && !twice)
      twice = parsed.get<std::string>();
    return true;
  };
  Json json = Json::parse(text, note, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return problemError("not JSON");
  if (twice)
    return problemError(fmt::format("the key '{}' appears twice", *twice));
  if (!json.is_object())
    return problemError("must be a JSON object");
  Problem problem;
  for (const auto &[key, value] : json.items())
    if (Status status = setField(problem, key, value); !status.ok())
      return status;
  for (const IntField &field : intFields)
    if (field.required && !json.contains(field.key))
      return problemError(fmt::format("'{}' is missing", field.key));
  for (const TextField &field : textFields)
    if (field.required && !json.contains(field.key))
      return problemError(fmt::format("'{}' is missing", field.key));
  return problem;
}

std::vector<Reason> checkProblem(const Problem &problem) {
  return Checker(problem).run();
}

Status requireProblem(const Problem &problem) {
  std::vector<Reason> reasons = checkProblem(problem);
  if (reasons.empty())
    return {};
  std::string text = "problem:";
  for (size_t i = 0; i < reasons.size(); ++i)
    text += (i ? "; " : " ") + reasons[i].message;
  return {reasons.front().code, text};
}

} // namespace moec

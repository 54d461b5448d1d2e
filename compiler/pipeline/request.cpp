// Request JSON; see request.h.

#include "compiler/pipeline/request.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace moec {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 7> rungNames = {
    "stage", "tile", "rocdl", "llvm", "asm", "hsaco", "bundle"};

constexpr std::array<std::string_view, 3> opNames = {"compile", "targets",
                                                     "describe"};

constexpr std::array<std::string_view, 9> knownKeys = {
    "op",         "target",   "problem", "buckets", "inputs",
    "standalone", "schedule", "from",    "emit"};

template <size_t N>
std::string listNames(const std::array<std::string_view, N> &names) {
  std::string list;
  for (std::string_view name : names)
    list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

/// Index of `value` in `names`, or an error that lists them.
template <size_t N>
Expected<size_t> findName(const char *field, const std::string &value,
                          const std::array<std::string_view, N> &names) {
  auto it = std::find(names.begin(), names.end(), value);
  if (it == names.end())
    return Status(ErrorCode::Usage, "request: unknown " + std::string(field) +
                                        " '" + value +
                                        "'; known: " + listNames(names));
  return size_t(it - names.begin());
}

Status wrongType(const char *field, const char *expected, const Json &found) {
  return Status(ErrorCode::Usage, "request: \"" + std::string(field) +
                                      "\" must be " + expected + ", found " +
                                      found.dump());
}

/// Stores the string `field` in `value` if it is there.
Status readText(const Json &json, const char *field, std::string &value) {
  auto it = json.find(field);
  if (it == json.end())
    return {};
  if (!it->is_string())
    return wrongType(field, "a string", *it);
  value = it->get<std::string>();
  return {};
}

Status readBuckets(const Json &json, std::vector<int64_t> &buckets) {
  auto it = json.find("buckets");
  if (it == json.end())
    return {};
  constexpr const char *expected =
      "a non-empty array of numbers of tokens >= 1";
  if (!it->is_array() || it->empty())
    return wrongType("buckets", expected, *it);
  buckets.clear();
  for (const Json &bucket : *it) {
    if (!bucket.is_number_integer() || bucket.get<int64_t>() < 1)
      return wrongType("buckets", expected, *it);
    buckets.push_back(bucket.get<int64_t>());
  }
  std::sort(buckets.begin(), buckets.end());
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  return {};
}

Status readInputs(const Json &json, std::vector<Input> &inputs) {
  auto it = json.find("inputs");
  if (it == json.end())
    return {};
  constexpr const char *expected = "an array of {\"name\", \"text\"}";
  if (!it->is_array())
    return wrongType("inputs", expected, *it);
  for (const Json &entry : *it) {
    Input input;
    if (!entry.is_object() || !entry.contains("text"))
      return wrongType("inputs", expected, *it);
    for (auto [field, value] :
         {std::pair{"name", &input.name}, std::pair{"text", &input.text}})
      if (Status status = readText(entry, field, *value); !status.ok())
        return status;
    if (input.name.empty())
      input.name = "<input " + std::to_string(inputs.size()) + ">";
    inputs.push_back(std::move(input));
  }
  return {};
}

Status readTarget(const Json &json, const Target *&target) {
  std::string name;
  if (Status status = readText(json, "target", name); !status.ok())
    return status;
  target = findTarget(name);
  if (target)
    return {};
  return Status(ErrorCode::Usage,
                (name.empty() ? "request: no target"
                              : "request: unknown target '" + name + "'") +
                    "; known: " + targetNames());
}

Status readRungs(const Json &json, Request &request) {
  std::string emit = "bundle", from;
  if (Status status = readText(json, "emit", emit); !status.ok())
    return status;
  if (Status status = readText(json, "from", from); !status.ok())
    return status;
  Expected<size_t> emitIndex = findName("emit", emit, rungNames);
  if (!emitIndex)
    return emitIndex.status();
  request.emit = Rung(*emitIndex);
  if (from.empty())
    return {};
  Expected<size_t> fromIndex = findName("from", from, rungNames);
  if (!fromIndex)
    return fromIndex.status();
  request.from = Rung(*fromIndex);
  if (*request.from >= Rung::Asm)
    return Status(ErrorCode::Usage,
                  "request: cannot go on from '" + from +
                      "'; possible: stage, tile, rocdl, llvm");
  return {};
}

Status readProblem(const Json &json, std::optional<Problem> &problem) {
  auto it = json.find("problem");
  if (it == json.end() || it->is_null())
    return {};
  Expected<Problem> parsed = parseProblem(it->dump());
  if (!parsed)
    return parsed.status().withContext("request");
  problem = parsed.take();
  return {};
}

Status readAll(const Json &json, Request &request) {
  for (const auto &[key, value] : json.items())
    if (Expected<size_t> known = findName("field", key, knownKeys); !known)
      return known.status();
  std::string op = "compile";
  if (Status status = readText(json, "op", op); !status.ok())
    return status;
  Expected<size_t> opIndex = findName("op", op, opNames);
  if (!opIndex)
    return opIndex.status();
  request.op = Request::Op(*opIndex);
  if (Status status = readInputs(json, request.inputs); !status.ok())
    return status;
  if (request.op != Request::Op::Compile)
    return {};
  for (Status status :
       {readTarget(json, request.target), readProblem(json, request.problem),
        readBuckets(json, request.buckets), readRungs(json, request),
        readText(json, "standalone", request.standalone),
        readText(json, "schedule", request.schedule)})
    if (!status.ok())
      return status;
  return {};
}

} // namespace

std::string_view rungName(Rung rung) { return rungNames[size_t(rung)]; }

Expected<Request> parseRequest(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return Status(ErrorCode::Usage, "request: not a JSON object");
  Request request;
  if (Status status = readAll(json, request); !status.ok())
    return status;
  return request;
}

} // namespace moec

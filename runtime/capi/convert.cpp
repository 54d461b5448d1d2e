// Conversions and checks of the C boundary.
#include "runtime/capi/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace moec::capi {

static moec_error outOfMemory{MOEC_ERROR_INTERNAL, "out of memory"};

moec_error *toError(const Status &status) {
  if (status.ok())
    return nullptr;
  try {
    return new moec_error{static_cast<moec_error_code>(status.code()),
                          status.message()};
  } catch (...) {
    return &outOfMemory; // moec_error_destroy knows it.
  }
}

Status nullArgument(const char *name) {
  return {ErrorCode::Usage, fmt::format("'{}' is a null pointer", name)};
}

Status checkStruct(const char *type, const void *given, size_t oldest,
                   size_t known) {
  if (!given)
    return nullArgument(type);
  size_t size;
  std::memcpy(&size, given, sizeof size);
  if (size < oldest)
    return {ErrorCode::Usage,
            fmt::format("{}.struct_size is {}, expected at least {}; set it to "
                        "sizeof({})",
                        type, size, oldest, type)};
  if (size <= known)
    return {};
  // A size that no release can have is an uninitialised struct: do not read on.
  constexpr size_t absurd = 4096;
  const char *tail = static_cast<const char *>(given) + known;
  bool zero = size <= absurd && std::all_of(tail, tail + (size - known),
                                            [](char c) { return c == 0; });
  if (zero)
    return {};
  return {ErrorCode::Usage,
          fmt::format("{} has {} bytes and uses fields that this library (version "
                      "{}.{}, {} bytes) does not know; use a newer libmoec",
                      type, size, MOEC_VERSION_MAJOR, MOEC_VERSION_MINOR, known)};
}

Expected<Problem> readProblem(const moec_problem *given) {
  moec_problem c;
  if (Status s = readStruct("moec_problem", given, sizeof(moec_problem), c);
      !s.ok())
    return s;
  if (!c.weights)
    return nullArgument("moec_problem.weights");
  constexpr uint32_t knownBits =
      MOEC_GIVEN_ALPHA | MOEC_GIVEN_BETA | MOEC_GIVEN_LIMIT;
  if (c.given & ~knownBits)
    return Status(ErrorCode::Usage, fmt::format("moec_problem.given has unknown bits "
                                                "{:#x}",
                                                c.given & ~knownBits));
  Problem problem;
  problem.hidden = c.hidden;
  problem.inter = c.inter;
  problem.experts = c.experts;
  problem.topk = c.topk;
  problem.group = c.group;
  problem.weights = c.weights;
  problem.scale = orDefault(c.scale, "bf16");
  problem.actDtype = orDefault(c.act_dtype, "bf16");
  problem.actFn = orDefault(c.act_fn, "silu");
  problem.bias = c.bias != 0;
  struct {
    uint32_t bit;
    const char *name;
    double value;
    std::optional<double> &into;
  } numbers[] = {{MOEC_GIVEN_ALPHA, "alpha", c.alpha, problem.alpha},
                 {MOEC_GIVEN_BETA, "beta", c.beta, problem.beta},
                 {MOEC_GIVEN_LIMIT, "limit", c.limit, problem.limit}};
  for (auto &number : numbers) {
    if (!(c.given & number.bit))
      continue;
    if (!std::isfinite(number.value))
      return Status(ErrorCode::Usage, fmt::format("moec_problem.{} is not finite",
                                                  number.name));
    number.into = number.value;
  }
  return problem;
}

} // namespace moec::capi

extern "C" {

moec_error_code moec_error_get_code(const moec_error *error) {
  return error ? error->code : MOEC_OK;
}

const char *moec_error_get_message(const moec_error *error) {
  return error ? error->message.c_str() : "";
}

void moec_error_destroy(moec_error *error) {
  if (error != &moec::capi::outOfMemory)
    delete error;
}

int moec_version(void) { return MOEC_VERSION; }

moec_error *moec_supports(const moec_problem *problem, int *supported,
                          moec_reason_fn reason, void *user) {
  return moec::capi::guarded([&]() -> moec::Status {
    if (!supported)
      return moec::capi::nullArgument("supported");
    moec::Expected<moec::Problem> parsed = moec::capi::readProblem(problem);
    if (!parsed)
      return parsed.status();
    std::vector<moec::Reason> reasons = moec::checkProblem(*parsed);
    if (reason)
      for (const moec::Reason &r : reasons)
        reason(user, static_cast<moec_error_code>(r.code), r.id.c_str(),
               r.message.c_str());
    *supported = reasons.empty();
    return {};
  });
}

} // extern "C"

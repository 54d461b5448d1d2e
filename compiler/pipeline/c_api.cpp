// The C interface of libmoec_compiler.so; see moec/compiler.h.
//
// The boundary: nothing is thrown across it, and a reply always comes back.

#include "compiler/include/moec/compiler.h"

#include "compiler/pipeline/build_id.h"
#include "compiler/pipeline/compile.h"
#include "compiler/reference/reference.h"

#include <nlohmann/json.hpp>

#include <new>

namespace {

using Json = nlohmann::json;

/// A reply with the strings that its pointers refer to.
struct OwnedReply : moec_compiler_reply {
  std::string metaText, dataText;
};

/// What is returned if there is no memory for anything else; never freed.
constexpr char outOfMemoryMeta[] =
    R"({"diagnostics":[{"severity":"error","message":"out of memory"}]})";
moec_compiler_reply outOfMemory = {70, outOfMemoryMeta,
                                   sizeof outOfMemoryMeta - 1, "", 0};

Json toJson(const moec::Diagnostic &diagnostic) {
  Json json = {{"severity", diagnostic.severity},
               {"message", diagnostic.message}};
  if (!diagnostic.file.empty())
    json["file"] = diagnostic.file;
  if (diagnostic.line) {
    json["line"] = diagnostic.line;
    json["column"] = diagnostic.column;
  }
  return json;
}

Json toJson(const moec::Outcome::Stats &stats) {
  return {{"kernel", stats.kernel},
          {"ms_total", stats.msTotal},
          {"ms_passes", stats.msPasses},
          {"ms_llvm", stats.msLlvm},
          {"ms_link", stats.msLink}};
}

moec_compiler_reply *makeReply(moec::Outcome outcome) {
  Json meta = Json::object();
  for (const auto &diagnostic : outcome.diagnostics)
    meta["diagnostics"].push_back(toJson(diagnostic));
  for (const auto &stats : outcome.stats)
    meta["stats"].push_back(toJson(stats));
  if (!outcome.reproducer.empty())
    meta["reproducer"] = outcome.reproducer;
  auto *reply = new OwnedReply;
  // Inputs may hold any bytes, and messages quote them.
  reply->metaText = meta.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (outcome.status == moec::ErrorCode::Ok)
    reply->dataText = std::move(outcome.data);
  reply->status = int(outcome.status);
  reply->meta = reply->metaText.c_str();
  reply->meta_size = reply->metaText.size();
  reply->data = reply->dataText.data();
  reply->data_size = reply->dataText.size();
  return reply;
}

moec::Outcome failed(moec::ErrorCode code, std::string message) {
  moec::Outcome outcome;
  outcome.status = code;
  outcome.diagnostics.push_back(moec::plainError(std::move(message)));
  return outcome;
}

moec::Outcome serveText(std::string_view text) {
  moec::Expected<moec::Request> request = moec::parseRequest(text);
  if (!request)
    return failed(request.status().code(), request.status().message());
  return moec::serve(*request);
}

/// Runs `body`, which returns an Outcome, and makes a reply of whatever
/// happens.
template <typename Body> moec_compiler_reply *atBoundary(Body body) noexcept {
  try {
    try {
      return makeReply(body());
    } catch (const std::exception &error) {
      return makeReply(failed(moec::ErrorCode::Internal,
                              std::string("internal error: ") + error.what()));
    }
  } catch (...) {
    return &outOfMemory;
  }
}

} // namespace

int moec_compiler_abi(void) { return MOEC_COMPILER_ABI; }

const char *moec_compiler_build_id(void) { return moec::compilerBuildId(); }

moec_compiler_reply *moec_compiler_invoke(const char *request, size_t size) {
  return atBoundary([&] { return serveText(std::string_view(request, size)); });
}

void moec_compiler_reply_destroy(moec_compiler_reply *reply) {
  if (reply && reply != &outOfMemory)
    delete static_cast<OwnedReply *>(reply);
}

moec_compiler_reply *
moec_reference_run(const char *module, size_t module_size, const char *problem,
                   int64_t tokens, const moec_reference_tensor *tensors,
                   size_t tensor_count, moec_reference_weights weights,
                   void *weights_context, float *result, size_t result_size) {
  return atBoundary([&] {
    moec::Outcome outcome;
    moec::ReferenceCall call{std::string(module, module_size),
                             problem,
                             tokens,
                             {tensors, tensor_count},
                             weights,
                             weights_context,
                             {result, result_size / sizeof(float)}};
    outcome.status = moec::runReference(call, outcome.diagnostics);
    return outcome;
  });
}

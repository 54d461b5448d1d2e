// Opens libmoec_compiler.so and prints what it says; see compiler_library.h.
#include "tools/moec/compiler_library.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace moec::tool {

std::string executableDirectory() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error)
      .parent_path()
      .string();
}

static std::string libraryPath() {
  const char *named = std::getenv("MOEC_COMPILER");
  if (named && *named)
    return named;
  return executableDirectory() + "/../lib/libmoec_compiler.so";
}

Expected<CompilerLibrary> CompilerLibrary::open() {
  CompilerLibrary library;
  library.file = libraryPath();
  void *handle = dlopen(library.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(ErrorCode::File,
                  fmt::format("cannot load the compiler: {}; set "
                              "MOEC_COMPILER to the path of "
                              "libmoec_compiler.so",
                              dlerror()));
  Functions &f = library.functions;
  auto find = [&](const char *name, auto &function) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    return function != nullptr;
  };
  bool complete = find("moec_compiler_abi", f.abi) &&
                  find("moec_compiler_build_id", f.buildId) &&
                  find("moec_compiler_invoke", f.invoke) &&
                  find("moec_compiler_reply_destroy", f.destroy) &&
                  find("moec_reference_run", f.reference);
  if (!complete)
    return Status(ErrorCode::File,
                  fmt::format("'{}' is no moec compiler: it lacks a function "
                              "of moec/compiler.h",
                              library.file));
  if (f.abi() != MOEC_COMPILER_ABI)
    return Status(ErrorCode::File,
                  fmt::format("'{}' has compiler ABI {}, this moec needs {}; "
                              "both must come from one build",
                              library.file, f.abi(), MOEC_COMPILER_ABI));
  return library;
}

CompilerReply CompilerLibrary::take(moec_compiler_reply *reply) const {
  CompilerReply taken;
  taken.status = reply->status;
  if (reply->meta_size)
    taken.meta = Json::parse(reply->meta, reply->meta + reply->meta_size,
                             nullptr, /*allow_exceptions=*/false);
  if (!taken.meta.is_object())
    taken.meta = Json::object();
  if (reply->data_size)
    taken.data.assign(reply->data, reply->data_size);
  functions.destroy(reply);
  return taken;
}

CompilerReply CompilerLibrary::invokeText(const std::string &request) const {
  return take(functions.invoke(request.data(), request.size()));
}

CompilerReply CompilerLibrary::invoke(const Json &request) const {
  return invokeText(
      request.dump(-1, ' ', false, Json::error_handler_t::replace));
}

CompilerReply
CompilerLibrary::reference(const std::string &module,
                           const std::string &problem, int64_t tokens,
                           const std::vector<moec_reference_tensor> &tensors,
                           moec_reference_weights weights, void *context,
                           std::vector<float> &result) const {
  return take(functions.reference(module.data(), module.size(), problem.c_str(),
                                  tokens, tensors.data(), tensors.size(),
                                  weights, context, result.data(),
                                  result.size() * sizeof(float)));
}

static std::string diagnosticText(const Json &diagnostic) {
  std::string where = diagnostic.value("file", "");
  if (diagnostic.value("line", 0) > 0)
    where += fmt::format(":{}:{}", diagnostic.value("line", 0),
                         diagnostic.value("column", 0));
  return fmt::format("{}: {}: {}", where.empty() ? "moec" : where,
                     diagnostic.value("severity", "error"),
                     diagnostic.value("message", ""));
}

int reportReply(const CompilerReply &reply) {
  bool explained = false;
  if (reply.meta.contains("diagnostics"))
    for (const Json &diagnostic : reply.meta["diagnostics"]) {
      spdlog::error("{}", diagnosticText(diagnostic));
      explained |= diagnostic.value("severity", "error") == "error";
    }
  if (reply.meta.contains("reproducer"))
    spdlog::error("moec: note: reproducer: {}",
                  reply.meta.value("reproducer", ""));
  if (reply.status != 0 && !explained)
    spdlog::error("moec: error: the compiler failed with status {} and said "
                  "nothing; this is a bug of moec",
                  reply.status);
  return reply.status;
}

} // namespace moec::tool

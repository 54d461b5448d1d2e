// moec_context: conversions only, the work is in layer/context.h.
#include "runtime/capi/handles.h"

using namespace moec;
using namespace moec::capi;

static Expected<Context::Options>
readOptions(const moec_context_options *given) {
  Context::Options options;
  if (!given)
    return options;
  moec_context_options c;
  if (Status s = readStruct("moec_context_options", given,
                            sizeof(moec_context_options), c);
      !s.ok())
    return s;
  if (c.worker_timeout_ms < 0)
    return Status(ErrorCode::Usage,
                  "moec_context_options.worker_timeout_ms is negative");
  options.hipLibrary = orDefault(c.hip_library, "");
  options.device = c.device;
  options.neverCompile = c.never_compile != 0;
  options.worker.path = orDefault(c.worker, "");
  if (c.worker_timeout_ms)
    options.worker.timeLimit = std::chrono::milliseconds(c.worker_timeout_ms);
  if (c.cache_directory)
    options.cacheDirectory = c.cache_directory;
  if (c.log)
    options.log = [log = c.log, user = c.log_user](const std::string &message) {
      log(user, message.c_str());
    };
  return options;
}

extern "C" {

moec_error *moec_context_create(const moec_context_options *options,
                                moec_context **context) {
  return guarded([&]() -> Status {
    if (!context)
      return nullArgument("context");
    Expected<Context::Options> read = readOptions(options);
    if (!read)
      return read.status();
    Expected<std::unique_ptr<Context>> made = Context::create(read.take());
    if (!made)
      return made.status();
    *context = new moec_context{made.take()};
    return {};
  });
}

void moec_context_destroy(moec_context *context) { delete context; }

const char *moec_context_target(const moec_context *context) {
  return context ? context->impl->device().target().c_str() : "";
}

const char *moec_context_hip_library(const moec_context *context) {
  return context ? context->impl->device().hip().path().c_str() : "";
}

moec_error *moec_context_add_bundle_file(moec_context *context,
                                         const char *path) {
  return guarded([&]() -> Status {
    if (!context || !path)
      return nullArgument(context ? "path" : "context");
    Expected<Bundle> bundle = readBundleFile(path);
    if (!bundle)
      return bundle.status();
    return context->impl->plans().add(bundle.take(), path);
  });
}

moec_error *moec_context_add_bundle(moec_context *context, const void *bytes,
                                    size_t size) {
  return guarded([&]() -> Status {
    if (!context || !bytes)
      return nullArgument(context ? "bytes" : "context");
    Expected<Bundle> bundle =
        readBundle({static_cast<const uint8_t *>(bytes), size}, "bundle");
    if (!bundle)
      return bundle.status();
    return context->impl->plans().add(bundle.take(), "bundle");
  });
}

} // extern "C"

// `moec worker` as tests need it: answers compile requests with sample plans, or
// misbehaves as FAKE_WORKER says: error, die, hang, garbage. Appends a line per
// start and per request to FAKE_WORKER_LOG. `write DIRECTORY` writes the bundles
// of the tests.
#include "runtime/base/worker_protocol.h"
#include "tests/capi/sample_plans.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace moec;
using moec::testing::samplePlans;

static void note(const std::string &line) {
  const char *path = std::getenv("FAKE_WORKER_LOG");
  FILE *file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

static int writeBundles(const std::string &directory) {
  auto write = [&](const char *name, const Bundle &bundle) {
    return writeBundleFile(bundle, directory + "/" + name).ok();
  };
  Bundle two = samplePlans({16});
  Bundle more = samplePlans({16}, "gfx942", "other");
  for (Kernel &kernel : more.kernels)
    kernel.name += "_other";
  for (const auto &[bundle, name] :
       {std::pair{samplePlans({1, 16, 64}), "sample.moec"},
        {samplePlans({16}), "only16.moec"},
        {samplePlans({16}, "gfx950"), "gfx950.moec"}})
    if (!write(name, bundle))
      return 3;
  if (!mergeBundle(two, more).ok() || !write("two.moec", two))
    return 3;
  Bundle layout = samplePlans({64});
  layout.plans[0].tensors[4].layout = "i4r3.v2";
  Bundle element = samplePlans({16});
  element.plans[0].tensors[3].dtype = "f5";
  return write("layout64.moec", layout) && write("element.moec", element) ? 0 : 3;
}

static WorkerReply answer(const nlohmann::json &request) {
  const char *mode = std::getenv("FAKE_WORKER");
  std::string behaviour = mode ? mode : "";
  if (behaviour == "die") {
    std::fprintf(stderr, "LLVM ERROR: something impossible\n");
    raise(SIGABRT);
  }
  if (behaviour == "hang")
    sleep(600);
  if (behaviour == "error")
    return {4, R"({"diagnostics":[{"severity":"error","file":"a.mlir","line":3,)"
               R"("column":7,"message":"does not fit LDS"}],"reproducer":"/tmp/r"})",
            ""};
  if (behaviour == "garbage")
    return {0, "{}", "MOECBNDL but no bundle"};
  Bundle bundle = samplePlans(request["buckets"].get<std::vector<int64_t>>(),
                              "gfx942",
                              request.contains("standalone")
                                  ? request["standalone"].get<std::string>() + "_alone"
                                  : "sample");
  return {0, "{}", writeBundle(bundle)};
}

int main(int argc, char **argv) {
  if (argc == 3 && !std::strcmp(argv[1], "write"))
    return writeBundles(argv[2]);
  if (argc != 2 || std::strcmp(argv[1], "worker"))
    return 2;
  note("start");
  for (;;) {
    Expected<std::optional<std::string>> request = readRequest(STDIN_FILENO);
    if (!request || !request->has_value())
      return 0;
    note(**request);
    if (!writeReply(STDOUT_FILENO, answer(nlohmann::json::parse(**request))).ok())
      return 1;
  }
}

// hipsim_differential: random kernels on the host and on the simulator must
// agree bit for bit. Prints the seed of what does not, and how to run it again.
#include "tests/sim/differential/batch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace differential;

namespace {

constexpr const char *usageText =
    "Usage: hipsim_differential [--seed=N] [--count=N] [--batch=N] [--level=0..3]\n"
    "                           [--arch=gfx942|gfx950] [--jobs=N] [--dir=PATH] [--keep]\n"
    "                           [--source=FILE]\n"
    "Kernels SEED .. SEED+COUNT-1, BATCH a file. --keep: also what passed is kept in PATH.\n"
    "--source: an edited copy of the kernel of --seed, with --count=1: to find its wrong part.\n";

bool number(const char *argument, const char *name, uint64_t &out) {
  size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=')
    return false;
  char *end = nullptr;
  out = std::strtoull(argument + length + 1, &end, 10);
  return *end == 0 && end != argument + length + 1;
}

bool parse(int argc, char **argv, Options &o) {
  for (int i = 1; i < argc; ++i) {
    uint64_t value;
    std::string argument = argv[i];
    if (number(argv[i], "--seed", o.seed) || number(argv[i], "--count", o.count) || number(argv[i], "--batch", o.batch))
      continue;
    if (number(argv[i], "--level", value) && value <= 3)
      o.level = int(value);
    else if (number(argv[i], "--jobs", value) && value >= 1 && value <= 256)
      o.jobs = int(value);
    else if (argument == "--arch=gfx942" || argument == "--arch=gfx950")
      o.arch = argument.substr(7);
    else if (argument.rfind("--dir=", 0) == 0)
      o.directory = argument.substr(6);
    else if (argument.rfind("--source=", 0) == 0)
      o.source = argument.substr(9);
    else if (argument == "--keep")
      o.keep = true;
    else
      return false;
  }
  return o.count >= 1 && o.batch >= 1;
}

/// Batches `first`, `first` + jobs, ..; returns how many kernels failed.
uint64_t work(const Options &options, int first, const char *program) {
  uint64_t failed = 0;
  for (uint64_t begin = first * options.batch; begin < options.count; begin += options.jobs * options.batch) {
    std::vector<uint64_t> seeds;
    for (uint64_t i = begin; i < begin + options.batch && i < options.count; ++i)
      seeds.push_back(options.seed + i);
    std::vector<Failure> failures;
    runBatch(options, seeds, failures);
    for (const Failure &f : failures) {
      std::string source = options.directory + "/" + std::to_string(seeds[0]) + "-" + std::to_string(seeds.size()) + ".c";
      std::printf("FAILED: kernel of seed %llu, %s -O%d: %s\n  source: %s\n  rerun: %s --seed=%llu --count=1 --level=%d%s --keep --dir=%s\n",
                  (unsigned long long)f.seed, f.arch.c_str(), f.level, f.text.c_str(), source.c_str(), program,
                  (unsigned long long)f.seed, f.level, f.arch == "host" ? "" : (" --arch=" + f.arch).c_str(),
                  options.directory.c_str());
    }
    failed += failures.size();
    std::fflush(stdout);
  }
  return failed;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  options.directory = HIPSIM_DIFFERENTIAL_DIRECTORY;
  if (!parse(argc, argv, options)) {
    std::fputs(usageText, stderr);
    return 2;
  }
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  // Processes, not threads: each forks again, before it has any thread.
  std::vector<pid_t> workers;
  for (int job = 0; job < options.jobs; ++job) {
    pid_t child = fork();
    if (child == 0)
      _exit(work(options, job, argv[0]) ? 1 : 0);
    workers.push_back(child);
  }
  bool failed = false;
  for (pid_t worker : workers) {
    int status = 0;
    failed |= waitpid(worker, &status, 0) != worker || status != 0;
  }
  std::printf("%s: kernels of seeds %llu to %llu\n", failed ? "FAILED" : "passed", (unsigned long long)options.seed,
              (unsigned long long)(options.seed + options.count - 1));
  return failed ? 1 : 0;
}

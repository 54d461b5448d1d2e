// Running clang; see compile.h.
#include "tests/sim/differential/compile.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace differential {

namespace {

/// For every target: what makes C's arithmetic the same everywhere. Every
/// half operation rounds (as the device does it), nothing is contracted.
constexpr const char *commonFlags[] = {
    "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno", "-Xclang",
    "-ffloat16-excess-precision=none", "-w", "-x", "c"};
/// FMA and F16C; not AVX-512's bfloat conversions, which flush subnormals.
constexpr const char *hostFlags[] = {"-march=x86-64-v3", "-fPIC", "-shared"};
constexpr const char *deviceFlags[] = {"--target=amdgcn-amd-amdhsa", "-nogpulib"};

} // namespace

std::vector<std::string> compileCommand(const Target &target, int level, const std::string &source,
                                        const std::string &output) {
  std::vector<std::string> command = {HIPSIM_CLANG, "-O" + std::to_string(level)};
  if (target.host())
    command.insert(command.end(), std::begin(hostFlags), std::end(hostFlags));
  else
    command.insert(command.end(), std::begin(deviceFlags), std::end(deviceFlags));
  if (!target.host())
    command.push_back(std::string("-mcpu=") + target.name);
  command.insert(command.end(), std::begin(commonFlags), std::end(commonFlags));
  command.insert(command.end(), {source, "-o", output});
  if (target.host())
    command.push_back("-lm");
  return command;
}

bool runCommand(const std::vector<std::string> &command, std::string &output) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    std::vector<char *> words;
    for (const std::string &word : command)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    output.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace differential

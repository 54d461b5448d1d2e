// Running clang and loading what it made for the host.
#pragma once

#include <string>
#include <vector>

namespace differential {

/// What a batch is compiled to.
struct Target {
  const char *name; ///< "host", "gfx942", "gfx950"
  bool host() const { return name[0] == 'h'; }
};

/// The command that compiles `source` for `target` at -O`level`.
std::vector<std::string> compileCommand(const Target &target, int level, const std::string &source,
                                        const std::string &output);

/// Runs a command and waits. False: `output` has what it printed.
bool runCommand(const std::vector<std::string> &command, std::string &output);

} // namespace differential

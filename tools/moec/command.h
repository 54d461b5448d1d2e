// The subcommands of moec. Each lives in a file of its own, adds itself to the
// command line and leaves its exit code (runtime/base/status.h) behind.
#pragma once

#include <CLI/App.hpp>

namespace moec::tool {

void addCompile(CLI::App &parent, int &exitCode);
void addRun(CLI::App &parent, int &exitCode);
void addTest(CLI::App &parent, int &exitCode);
void addInspect(CLI::App &parent, int &exitCode);
void addTargets(CLI::App &parent, int &exitCode);
void addDoctor(CLI::App &parent, int &exitCode);
void addProfile(CLI::App &parent, int &exitCode);
void addWorker(CLI::App &parent, int &exitCode);

} // namespace moec::tool

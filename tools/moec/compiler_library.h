// libmoec_compiler.so, opened only by the commands that compile or check.
//
// moec itself links no LLVM: `moec run` without --check must not map it.
#pragma once

#include "compiler/include/moec/compiler.h"
#include "tools/moec/terminal.h"

namespace moec::tool {

/// A served request; see moec/compiler.h for `meta`.
struct CompilerReply {
  int status = 0;
  Json meta;
  std::string data;
};

class CompilerLibrary {
public:
  /// The library that MOEC_COMPILER names, else the one in ../lib beside this
  /// executable. It stays loaded until the process ends.
  static Expected<CompilerLibrary> open();

  CompilerReply invoke(const Json &request) const;
  /// The same on text that was already serialised.
  CompilerReply invokeText(const std::string &request) const;
  CompilerReply reference(const std::string &module, const std::string &problem,
                          int64_t tokens,
                          const std::vector<moec_reference_tensor> &tensors,
                          moec_reference_weights weights, void *context,
                          std::vector<float> &result) const;
  const char *buildId() const { return functions.buildId(); }
  const std::string &path() const { return file; }

private:
  struct Functions {
    decltype(&moec_compiler_abi) abi = nullptr;
    decltype(&moec_compiler_build_id) buildId = nullptr;
    decltype(&moec_compiler_invoke) invoke = nullptr;
    decltype(&moec_compiler_reply_destroy) destroy = nullptr;
    decltype(&moec_reference_run) reference = nullptr;
  };
  CompilerReply take(moec_compiler_reply *reply) const;

  std::string file;
  Functions functions;
};

/// Prints the diagnostics of a reply (file:line:col: severity: message).
/// Returns its status, which is the exit code.
int reportReply(const CompilerReply &reply);

/// Directory of this executable.
std::string executableDirectory();

} // namespace moec::tool

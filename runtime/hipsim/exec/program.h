// A code object that has been placed in memory and turned into steps.
#pragma once

#include "runtime/hipsim/checks/effects.h"
#include "runtime/hipsim/exec/wave.h"
#include "runtime/hipsim/isa/code_object.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hipsim {

/// Immutable after load(); shared by launches on any thread.
class Program {
public:
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Loads, places, relocates and decodes a code object, and registers its
  /// image in `memory`. Null: `error` says why.
  static std::shared_ptr<Program> load(const void *bytes, size_t size,
                                       Arch arch, uint32_t device,
                                       DeviceMemory &memory,
                                       std::string &error);

  const CodeObject &object() const { return code; }
  const KernelDescriptor *findKernel(const std::string &name) const {
    return code.findKernel(name);
  }
  /// Address and size of a global variable; false when there is none.
  bool findGlobal(const std::string &name, uint64_t &address,
                  uint64_t &size) const;

  const std::vector<Step> &steps() const { return program; }
  /// Address of the byte at offset 0 of .text.
  uint64_t textAddress() const { return base + code.textVaddr; }
  /// Index of the step that starts at `offset` of .text, or noStep.
  uint32_t stepAt(uint64_t offset) const;
  static constexpr uint32_t noStep = ~0u;

  /// One past the highest VGPR and AGPR that steps [first, end of the function
  /// of `first`) name.
  void registersOf(uint32_t first, uint32_t &vgprs, uint32_t &agprs) const;
  /// SHA-256 of the code object as it was loaded, in hexadecimal.
  const std::string &sha256() const { return hash; }
  /// Why the step cannot be executed; for the handler of refused steps.
  const std::string &refusal(const Step &step) const;

  /// For launches with checks: what each step touches. Built on first use.
  const std::vector<Effects> &effects() const;
  /// Some step is a load to LDS; valid after effects().
  bool loadsToLds() const { return anyLoadToLds; }

private:
  Program() = default;
  void decodeText();
  const Row *constantRows(uint64_t value);

  CodeObject code;
  std::string hash;
  DeviceMemory *memory = nullptr;
  uint64_t base = 0; ///< Where the image was placed.
  uint64_t mappedBytes = 0;
  std::vector<Instruction> instructions;
  std::vector<Step> program;
  std::vector<uint32_t> stepOfDword;
  std::vector<std::string> refusals; ///< By step; empty when executable.
  std::vector<std::unique_ptr<Row[]>> constants;
  std::vector<std::pair<uint64_t, const Row *>> constantIndex;
  mutable std::once_flag effectsOnce;
  mutable std::vector<Effects> stepEffects;
  mutable bool anyLoadToLds = false;
};

} // namespace hipsim

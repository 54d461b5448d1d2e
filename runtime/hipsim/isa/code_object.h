// An AMDGPU code object (hsaco) as the simulator sees it: one loaded image,
// its kernels with their descriptors and arguments, and its global symbols.
//
// This is the trust boundary of the simulator: the bytes come from a file or a
// caller. Loading checks every offset and size before use and never crashes on
// hostile input; what it cannot represent faithfully it refuses with a message.
// It must not execute, decode instructions, or allocate device memory.
#pragma once

#include "runtime/hipsim/isa/instruction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hipsim {

/// One entry of a kernel's `.args` metadata.
struct KernelArgument {
  std::string name;      ///< Empty when the compiler recorded none.
  std::string valueKind; ///< "by_value", "global_buffer", "hidden_block_count_x", ...
  uint32_t offset = 0;   ///< Byte offset in the kernarg segment.
  uint32_t size = 0;     ///< Bytes.
};

/// A kernel: its descriptor (64 bytes in .rodata) joined with its metadata.
struct KernelDescriptor {
  std::string name;   ///< What hipModuleGetFunction looks up.
  std::string symbol; ///< "<name>.kd".

  uint32_t entry = 0;           ///< Byte offset of the first instruction in .text (a pc).
  uint32_t groupSegmentBytes = 0;   ///< Static LDS of a workgroup.
  uint32_t privateSegmentBytes = 0; ///< Scratch of a lane.
  uint32_t kernargBytes = 0;
  uint32_t kernargAlignment = 16;

  // Kernarg preload. When the length is not zero, real firmware starts the
  // kernel at entry + 256; starting at `entry` runs the loading prologue.
  uint32_t kernargPreloadLength = 0; ///< Dwords copied to SGPRs.
  uint32_t kernargPreloadOffset = 0; ///< First dword of the segment copied.

  uint32_t vgprs = 0;       ///< Unified registers allocated to a lane.
  uint32_t accumOffset = 0; ///< a0 is unified register number accumOffset; a multiple of 4.
  uint32_t sgprs = 0;       ///< .sgpr_count: registers the code uses, with VCC.
  uint32_t agprs = 0;       ///< .agpr_count.

  // User SGPRs, in the order in which they are laid out from s0.
  uint32_t userSgprCount = 0;
  bool enablePrivateSegmentBuffer = false; ///< 4 SGPRs.
  bool enableDispatchPtr = false;          ///< 2
  bool enableQueuePtr = false;             ///< 2
  bool enableKernargSegmentPtr = false;    ///< 2
  bool enableDispatchId = false;           ///< 2
  bool enableFlatScratchInit = false;      ///< 2
  bool enablePrivateSegmentSize = false;   ///< 1
  // System SGPRs, after the user SGPRs and preloaded kernarg dwords.
  bool enableWorkgroupIdX = false, enableWorkgroupIdY = false,
       enableWorkgroupIdZ = false, enableWorkgroupInfo = false;
  /// Work-item id dimensions used, 1..3. v0 is packed x | y << 10 | z << 20.
  uint32_t workitemIdDims = 1;

  bool scratchEnabled = false;
  bool dynamicStack = false;
  bool wave32 = false; ///< Never set on the architectures that load.
  bool tgSplit = false;

  uint8_t floatMode = 0; ///< MODE[7:0] at start; clang's default is 0xf0.
  bool ieee = false, dx10Clamp = false;
  bool fp16Overflow = false;

  uint32_t maxFlatWorkgroupSize = 0;
  std::array<uint32_t, 3> reqdWorkgroupSize = {0, 0, 0}; ///< Zeros when not required.

  std::vector<KernelArgument> args;
};

/// A data symbol of the code object, e.g. a `__device__` variable.
struct GlobalSymbol {
  std::string name;
  uint64_t vaddr = 0; ///< Offset in CodeObject::image.
  uint64_t size = 0;
};

/// A 64-bit word of the image that depends on where the image is placed:
/// *(u64 *)(image + offset) = address of image + addend.
struct Relocation {
  uint64_t offset = 0;
  uint64_t addend = 0;
};

struct CodeObject {
  Arch arch = Arch::Gfx942;
  std::string target; ///< "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", from the metadata.
  bool xnack = false; ///< Requires XNACK; "any" and "off" load as false.
  bool sramecc = false;

  /// All loaded segments at their virtual addresses; image[v] is the byte at
  /// vaddr v. Place it at any 4096-aligned base.
  std::vector<uint8_t> image;
  uint64_t textVaddr = 0; ///< Where .text starts in the image.
  uint64_t textSize = 0;

  std::vector<KernelDescriptor> kernels;
  std::vector<GlobalSymbol> globals;
  std::vector<Relocation> relocations;

  const uint8_t *text() const { return image.data() + textVaddr; }
  const KernelDescriptor *findKernel(const std::string &name) const;
  const GlobalSymbol *findGlobal(const std::string &name) const;
};

/// "gfx942" or "gfx950".
const char *archName(Arch arch);
/// False when `name` is not an architecture that the simulator knows.
bool parseArch(const std::string &name, Arch &arch);

/// Loads the ELF code object at `bytes`. False: `error` says what is wrong and
/// where; `out` is then unspecified. Safe for any input.
bool loadCodeObject(const void *bytes, size_t size, CodeObject &out,
                    std::string &error);

/// The same, and refuses a code object for another architecture than
/// `expected`, naming both.
bool loadCodeObject(const void *bytes, size_t size, Arch expected,
                    CodeObject &out, std::string &error);

} // namespace hipsim

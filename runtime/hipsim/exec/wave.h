// The state of a wave and of a workgroup, and a pre-decoded program step.
//
// Plain data only: these structures are shared by code compiled for several
// SIMD levels (see ops/lanes.h), so nothing here may be an inline function
// that the linker could pick from the wrong level.
#pragma once

#include "runtime/hipsim/exec/memory.h"
#include "runtime/hipsim/isa/instruction.h"

#include <cstdint>

namespace hipsim {

constexpr uint32_t laneCount = 64;

/// One vector register: a dword of every lane.
struct alignas(64) Row {
  uint32_t lane[laneCount];
};

/// Rows of a wave's register file. v0..v255, a0..a255, then rows that SDWA and
/// DPP write their prepared operands to.
constexpr uint32_t agprRow = 256;
constexpr uint32_t temporaryRow = 512;
constexpr uint32_t rowCount = 512 + 8;

/// MODE[7:0] that clang's kernels start in: round to nearest, denormals on.
constexpr uint32_t defaultFloatMode = 0xf0;

/// Scalar register numbers with names.
constexpr uint32_t sgprVcc = 106, sgprM0 = 124, sgprExec = 126;

struct Wave;
struct Step;
struct Workgroup;
struct Dispatch;
struct Operation;
using Handler = void (*)(Wave &, const Step &);

enum class SourceKind : uint8_t {
  None,
  Row,      ///< index = row of the register file.
  Scalar,   ///< index = scalar register number.
  Constant, ///< value, widened to the operation's type; row = it in every lane.
  Special,  ///< index = source code (see OperandKind::Special).
};

/// How a constant is widened and where the halves of a register come from.
enum class ValueType : uint8_t { B32, I64, U64, F64, F16, B16, PackedF16, F32x2 };

struct Source {
  SourceKind kind = SourceKind::None;
  bool neg = false, abs = false;
  uint16_t index = 0;
  uint64_t value = 0;
  const Row *row = nullptr; ///< Constant of a vector instruction: 1 or 2 rows.
};

/// Classes for the statistics and, later, for checks and the timing model.
enum class StepClass : uint8_t {
  Scalar, ScalarMemory, Branch, Control, Vector, Transcendental, Matrix, Lds,
  Global, Buffer, Scratch, Count
};

/// An instruction ready to be executed. `handler` does everything; an
/// instrumented run may point it to a wrapper that calls `inner`.
struct Step {
  Handler handler = nullptr;
  Handler inner = nullptr; ///< What SDWA and DPP wrap.
  const Instruction *instruction = nullptr;
  const Operation *operation = nullptr; ///< What float modes wrap.
  const Row *sourceLanes = nullptr; ///< DPP: lane read by each lane, or 64.
  uint32_t target = 0; ///< Step of the branch target.
  uint16_t dst = 0;    ///< Row, or scalar register number.
  uint16_t dst2 = 0;   ///< Scalar register number.
  StepClass stepClass = StepClass::Scalar;
  uint8_t opSel = 0;
  bool outputModifiers = false; ///< clamp or omod.
  Source src[3];
};

enum class WaveStatus : uint8_t { Running, Yielded, AtBarrier, Ended, Faulted };

struct alignas(64) Wave {
  Row *rows = nullptr;
  uint32_t sgpr[128] = {};
  Row mask = {}; ///< EXEC as all-ones lanes; valid for maskExec.
  uint64_t maskExec = 0;
  uint32_t step = 0; ///< Index of the next step.
  uint32_t scc = 0;
  WaveStatus status = WaveStatus::Running;
  uint8_t arch = 0; ///< An Arch.
  uint32_t mode = 0; ///< MODE as s_getreg sees it.
  uint32_t index = 0; ///< In the workgroup.
  uint8_t *scratch = nullptr; ///< [lane][scratchBytes]
  uint32_t scratchBytes = 0;  ///< Of one lane.
  const Step *steps = nullptr;
  Workgroup *group = nullptr;
  uint64_t executed[uint32_t(StepClass::Count)] = {};
};

/// Ranges that passed the last checks; most accesses hit one of them.
struct AccessCache {
  static constexpr uint32_t entries = 4;
  uint64_t begin[entries] = {}, end[entries] = {};
  bool writable[entries] = {};
  uint32_t next = 0;
};

struct Workgroup {
  const Dispatch *dispatch = nullptr;
  uint32_t id[3] = {};
  uint64_t linearId = 0;
  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  AccessCache access;
  uint64_t progress = 0; ///< Writes to memory that another wave can see.
  uint64_t clock = 0;    ///< Steps executed; what s_memtime reads.
};

/// What a fault is, for the HIP error code that it becomes.
enum class FaultKind : uint8_t {
  IllegalAddress,
  IllegalInstruction,
  Trap,
  Deadlock,
  Limit,
};

/// Ends the launch with an error. `lane` < 0: not about one lane. Safe to call
/// from any handler; the first fault of a launch wins.
void raiseFault(Wave &wave, const Step &step, FaultKind kind, int lane,
                const char *message);
/// The same for an access of `bytes` at `address`.
void raiseAccessFault(Wave &wave, const Step &step, int lane, uint64_t address,
                      uint64_t bytes, bool write);
/// Looks `address` up in the dispatch's snapshot and, if [address,
/// address+bytes) is inside one live range, remembers the range in the cache.
bool findAccess(Workgroup &group, uint64_t address, uint64_t bytes, bool write);
/// The same for scalar loads. LLVM widens them where alignment proves that no
/// page is crossed, so they may run over the end of a range within its last
/// 16 bytes.
bool findScalarAccess(Workgroup &group, uint64_t address, uint64_t bytes);
/// The step at a byte offset of .text; false when none starts there.
bool stepAtAddress(const Wave &wave, uint64_t address, uint32_t &step);
/// The address of the instruction after `step`.
uint64_t addressAfter(const Wave &wave, const Step &step);

} // namespace hipsim

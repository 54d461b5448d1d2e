// Branches, barriers, program counter, hardware registers: SOPP and the rest
// of the scalar instructions that are not arithmetic.
#include "runtime/hipsim/exec/ops/lanes.h"

#include "runtime/hipsim/exec/dispatch.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <auto Condition> void branch(Wave &w, const Step &s) {
  if (Condition(w))
    w.step = s.target;
}

void jumpTo(Wave &w, const Step &s, u64 address) {
  u32 step;
  if (!stepAtAddress(w, address, step)) {
    raiseAccessFault(w, s, -1, address, 4, false);
    return;
  }
  w.step = step;
}
void getPc(Wave &w, const Step &s) {
  store64(w.sgpr + s.dst, addressAfter(w, s));
}
void setPc(Wave &w, const Step &s) { jumpTo(w, s, scalar64(w, s.src[0])); }
void swapPc(Wave &w, const Step &s) {
  u64 target = scalar64(w, s.src[0]);
  store64(w.sgpr + s.dst, addressAfter(w, s));
  jumpTo(w, s, target);
}
void call(Wave &w, const Step &s) {
  store64(w.sgpr + s.dst, addressAfter(w, s));
  w.step = s.target;
}

void nothing(Wave &, const Step &) {}
/// The hook for the hazard checker: memory is executed eagerly, so the counts
/// are always already satisfied.
void waitCount(Wave &, const Step &) {}
void endProgram(Wave &w, const Step &) { w.status = WaveStatus::Ended; }
void barrier(Wave &w, const Step &) { w.status = WaveStatus::AtBarrier; }
void sleep(Wave &w, const Step &) { w.status = WaveStatus::Yielded; }
void trap(Wave &w, const Step &s) {
  raiseFault(w, s, FaultKind::Trap, -1,
             "the kernel executed a trap (assertion or __builtin_trap)");
}

/// simm16 of s_getreg/s_setreg: register, first bit, number of bits.
struct HardwareField {
  u32 id, offset, size;
};
HIPSIM_INLINE HardwareField hardwareField(const Step &s) {
  u32 imm = u32(s.instruction->imm) & 0xffff;
  return {imm & 63, imm >> 6 & 31, (imm >> 11) + 1};
}
HIPSIM_INLINE u32 fieldMask(const HardwareField &f) {
  return f.size >= 32 ? ~0u : (1u << f.size) - 1;
}

constexpr u32 hwMode = 1, hwStatus = 2, hwTrapStatus = 3, hwId = 4,
              hwGprAlloc = 5, hwLdsAlloc = 6, hwIbStatus = 7,
              hwShMemBases = 15, hwXccId = 20;

void getRegister(Wave &w, const Step &s) {
  HardwareField f = hardwareField(s);
  u32 group = u32(w.group->linearId), value;
  switch (f.id) {
  case hwMode: value = w.mode; break;
  case hwStatus:
    value = w.scc | u32(exec(w) == 0) << 9 | u32(vcc(w) == 0) << 10;
    break;
  case hwTrapStatus: value = 0; break;
  case hwId: // wave [3:0], SIMD [5:4], CU [11:8], SE [15:13]
    value = (w.index & 15) | (w.index & 3) << 4 | (group / 8 & 15) << 8 |
            (group / 128 & 7) << 13;
    break;
  case hwGprAlloc: value = 0; break;
  case hwLdsAlloc: value = w.group->ldsBytes / 512 << 12; break;
  case hwIbStatus: value = 0; break;
  case hwShMemBases:
    value = u32(privateAperture >> 48) | u32(sharedAperture >> 48) << 16;
    break;
  case hwXccId: value = group % 8; break;
  default:
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "s_getreg of a hardware register that is not modelled");
    return;
  }
  w.sgpr[s.dst] = value >> f.offset & fieldMask(f);
}

void setRegister(Wave &w, const Step &s) {
  HardwareField f = hardwareField(s);
  u32 value = scalar32(w, s.src[0]);
  u32 mask = fieldMask(f) << f.offset;
  if (f.id != hwMode) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "s_setreg of a hardware register that is not modelled");
    return;
  }
  w.mode = (w.mode & ~mask) | (value << f.offset & mask); // See float_mode.cpp.
}

/// Of the messages, only the interrupt to the host is legal in a compute
/// kernel of these targets; nobody listens here.
void sendMessage(Wave &w, const Step &s) {
  constexpr u32 interrupt = 1, idMask = 15;
  if ((u32(s.instruction->imm) & idMask) != interrupt)
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "s_sendmsg of another message than MSG_INTERRUPT is not modelled");
}

const Entry entries[] = {
    {Op::S_SENDMSG, custom(&sendMessage, StepClass::Control)},
    {Op::S_BRANCH, custom(&branch<[](Wave &) { return true; }>, StepClass::Branch)},
    {Op::S_CBRANCH_SCC0, custom(&branch<[](Wave &w) { return !w.scc; }>, StepClass::Branch)},
    {Op::S_CBRANCH_SCC1, custom(&branch<[](Wave &w) { return w.scc != 0; }>, StepClass::Branch)},
    {Op::S_CBRANCH_VCCZ, custom(&branch<[](Wave &w) { return vcc(w) == 0; }>, StepClass::Branch)},
    {Op::S_CBRANCH_VCCNZ, custom(&branch<[](Wave &w) { return vcc(w) != 0; }>, StepClass::Branch)},
    {Op::S_CBRANCH_EXECZ, custom(&branch<[](Wave &w) { return exec(w) == 0; }>, StepClass::Branch)},
    {Op::S_CBRANCH_EXECNZ, custom(&branch<[](Wave &w) { return exec(w) != 0; }>, StepClass::Branch)},
    {Op::S_CALL_B64, custom(&call, StepClass::Branch)},
    {Op::S_GETPC_B64, custom(&getPc, StepClass::Scalar)},
    {Op::S_SETPC_B64, custom(&setPc, StepClass::Branch, ValueType::U64)},
    {Op::S_SWAPPC_B64, custom(&swapPc, StepClass::Branch, ValueType::U64)},
    {Op::S_ENDPGM, custom(&endProgram, StepClass::Control)},
    {Op::S_BARRIER, custom(&barrier, StepClass::Control)},
    {Op::S_SLEEP, custom(&sleep, StepClass::Control)},
    {Op::S_TRAP, custom(&trap, StepClass::Control)},
    {Op::S_WAITCNT, custom(&waitCount, StepClass::Control)},
    {Op::S_NOP, custom(&nothing, StepClass::Control)},
    {Op::S_SETPRIO, custom(&nothing, StepClass::Control)},
    {Op::S_WAKEUP, custom(&nothing, StepClass::Control)},
    {Op::S_ICACHE_INV, custom(&nothing, StepClass::Control)},
    {Op::S_INCPERFLEVEL, custom(&nothing, StepClass::Control)},
    {Op::S_DECPERFLEVEL, custom(&nothing, StepClass::Control)},
    {Op::S_TTRACEDATA, custom(&nothing, StepClass::Control)},
    {Op::S_GETREG_B32, custom(&getRegister, StepClass::Scalar)},
    {Op::S_SETREG_B32, custom(&setRegister, StepClass::Scalar)},
    {Op::S_SETREG_IMM32_B32, custom(&setRegister, StepClass::Scalar)},
};

} // namespace

void addFlow(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD

// Classification of instructions; see costs.h.
#include "runtime/hipsim/timing/costs.h"

#include "runtime/hipsim/timing/accesses.h"

#include <cstring>

namespace hipsim::timing {

namespace {

/// Vector operations at a quarter of the rate, besides the transcendental
/// ones: LLVM's scheduling model has them in its quarter-rate classes.
constexpr const char *slowVector[] = {"v_mul_lo_u32", "v_mul_hi_u32",
                                      "v_mul_hi_i32", "v_mad_u64_u32",
                                      "v_mad_i64_i32"};

bool startsWith(const char *name, const char *prefix) {
  return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

Unit unitOf(const Instruction &in, StepClass c) {
  switch (c) {
  case StepClass::Vector:
  case StepClass::Transcendental: return Unit::Vector;
  case StepClass::Matrix:
    return matrixPasses(in, Arch::Gfx942) ? Unit::Matrix : Unit::Vector;
  case StepClass::Scalar: return Unit::Scalar;
  case StepClass::ScalarMemory: return Unit::ScalarMemory;
  case StepClass::Branch: return Unit::Branch;
  case StepClass::Lds: return Unit::Lds;
  case StepClass::Global:
  case StepClass::Buffer:
  case StepClass::Scratch: return Unit::VectorMemory;
  default: return Unit::Control;
  }
}

/// False: no register.
bool rangeOf(const Operand &o, RegisterRange &out) {
  switch (o.kind) {
  case OperandKind::Vgpr: out.first = o.index; break;
  case OperandKind::Agpr: out.first = uint16_t(agprRow + o.index); break;
  case OperandKind::Sgpr: out.first = uint16_t(temporaryRow + o.index); break;
  default: return false;
  }
  out.count = o.dwords;
  return uint32_t(out.first) + out.count <= registerCount;
}

void addRead(Cost &c, const Operand &o) {
  RegisterRange r;
  if (c.readCount < 6 && rangeOf(o, r))
    c.read[c.readCount++] = r;
}
void addWrite(Cost &c, const Operand &o) {
  RegisterRange r;
  if (c.writeCount < 2 && rangeOf(o, r))
    c.write[c.writeCount++] = r;
}

void setRegisters(Cost &c, const Instruction &in) {
  addRead(c, in.src[0]);
  addRead(c, in.src[1]);
  if (c.unit == Unit::Matrix && in.src[2].kind != OperandKind::Const)
    c.accumulator = c.readCount;
  addRead(c, in.src[2]);
  for (const Operand *o : {&in.vaddr, &in.data, &in.data1, &in.scale[0], &in.scale[1]})
    addRead(c, *o);
  // v_fmac and its like read what they write; a pending MFMA result there
  // has to be waited for either way.
  addWrite(c, in.dst);
  addWrite(c, in.dst2);
}

void setControl(Cost &c, const Instruction &in) {
  uint32_t imm = uint32_t(in.imm) & 0xffff;
  switch (in.op) {
  case Op::S_WAITCNT:
    c.isWait = true;
    c.vmcnt = uint8_t((imm & 15) | (imm >> 14 & 3) << 4);
    c.lgkmcnt = uint8_t(imm >> 8 & 15);
    break;
  case Op::S_NOP: c.waitClk = uint16_t(4 * ((imm & 15) + 1)); break;
  case Op::S_SLEEP: c.waitClk = uint16_t(64 * (imm & 127)) + 4; break;
  case Op::S_BARRIER: c.isBarrier = true; break;
  case Op::S_ENDPGM: c.isEnd = true; break;
  default: break;
  }
}

void setVector(Cost &c, const Step &s, const Rates &rates, const Options &options) {
  const char *name = mnemonic(s.instruction->op);
  bool slow = s.stepClass == StepClass::Transcendental;
  for (const char *known : slowVector)
    slow |= std::strcmp(name, known) == 0;
  c.busyClk = uint16_t(slow ? rates.slowVectorClk : rates.vectorClk);
  c.latencyClk = uint16_t(slow ? rates.slowVectorLatencyClk : rates.vectorClk);
  if (startsWith(name, "v_pk_") && std::strstr(name, "_f32") &&
      !options.packedFloatOverlaps) {
    c.packedFloat = true;
    c.busyClk = c.latencyClk = uint16_t(rates.packedFloatClk);
  }
}

Cost costOf(const Step &s, Arch arch, const Options &options) {
  const Instruction &in = *s.instruction;
  const Rates &rates = ratesOf(arch);
  Cost c;
  c.unit = unitOf(in, s.stepClass);
  setRegisters(c, in);
  switch (c.unit) {
  case Unit::Vector: setVector(c, s, rates, options); break;
  case Unit::Matrix:
    c.busyClk = c.chainClk = uint16_t(4 * matrixPasses(in, arch));
    c.latencyClk = uint16_t(c.busyClk + rates.matrixResultClk);
    c.flops = uint32_t(matrixFlops(in.op));
    break;
  case Unit::Control: setControl(c, in); break;
  case Unit::VectorMemory:
    c.isStore = writesMemory(in) && in.dst.kind == OperandKind::None;
    c.toLds = in.lds || std::strstr(mnemonic(in.op), "load_lds");
    break;
  default: break;
  }
  if (c.unit != Unit::Matrix)
    c.chainClk = c.latencyClk;
  return c;
}

} // namespace

const char *unitName(Unit unit) {
  constexpr const char *names[] = {"vector", "matrix", "scalar", "scalar_memory",
                                   "lds", "vector_memory", "branch", "control"};
  return names[uint32_t(unit)];
}

std::vector<Cost> costsOf(const Program &program, const Options &options) {
  std::vector<Cost> costs;
  costs.reserve(program.steps().size());
  for (const Step &s : program.steps())
    costs.push_back(costOf(s, program.object().arch, options));
  return costs;
}

} // namespace hipsim::timing

// Loading a code object and turning its instructions into steps.
#include "runtime/hipsim/exec/program.h"

#include "runtime/hipsim/exec/operation.h"
#include "runtime/hipsim/exec/prepare.h"
#include "runtime/hipsim/exec/sha256.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace hipsim;

Program::~Program() {
  if (!base)
    return;
  memory->remove(base);
  munmap(reinterpret_cast<void *>(base), mappedBytes);
}

std::shared_ptr<Program> Program::load(const void *bytes, size_t size,
                                       Arch arch, uint32_t device,
                                       DeviceMemory &memory,
                                       std::string &error) {
  std::shared_ptr<Program> p(new Program);
  if (!loadCodeObject(bytes, size, arch, p->code, error))
    return nullptr;
  CodeObject &code = p->code;
  p->hash = hipsim::sha256(bytes, size);
  p->mappedBytes = std::max<uint64_t>((code.image.size() + 4095) & ~4095ull, 4096);
  void *image = mmap(nullptr, p->mappedBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED) {
    error = "no memory for the image of the code object";
    return nullptr;
  }
  std::memcpy(image, code.image.data(), code.image.size());
  p->base = reinterpret_cast<uint64_t>(image);
  p->memory = &memory;
  for (const Relocation &r : code.relocations) {
    uint64_t value = p->base + r.addend;
    std::memcpy(static_cast<uint8_t *>(image) + r.offset, &value, 8);
  }
  // One range: device globals are writable, and the loader has not kept which
  // segment is.
  memory.add({p->base, p->base + code.image.size(), MemoryKind::Code, true,
              device, 0});
  p->decodeText();
  return p;
}

bool Program::findGlobal(const std::string &name, uint64_t &address,
                         uint64_t &size) const {
  const GlobalSymbol *symbol = code.findGlobal(name);
  if (!symbol)
    return false;
  address = base + symbol->vaddr;
  size = symbol->size;
  return true;
}

uint32_t Program::stepAt(uint64_t offset) const {
  if (offset % 4 || offset / 4 >= stepOfDword.size())
    return noStep;
  return stepOfDword[offset / 4];
}

const std::string &Program::refusal(const Step &step) const {
  return refusals[size_t(&step - program.data())];
}

const std::vector<Effects> &Program::effects() const {
  std::call_once(effectsOnce, [this] {
    stepEffects = effectsOf(program);
    for (const Effects &e : stepEffects)
      anyLoadToLds |= e.kind == EventKind::LdsLoad;
  });
  return stepEffects;
}

namespace {

void refuse(Wave &w, const Step &s) {
  raiseFault(w, s, FaultKind::IllegalInstruction, -1, nullptr);
}

bool isBranch(Op op) {
  switch (op) {
  case Op::S_BRANCH: case Op::S_CBRANCH_SCC0: case Op::S_CBRANCH_SCC1:
  case Op::S_CBRANCH_VCCZ: case Op::S_CBRANCH_VCCNZ:
  case Op::S_CBRANCH_EXECZ: case Op::S_CBRANCH_EXECNZ: case Op::S_CALL_B64:
    return true;
  default:
    return false;
  }
}

/// Whether a kernel starts in other float modes than the default, or sets them.
bool changesFloatModes(const CodeObject &code,
                       const std::vector<Instruction> &instructions) {
  for (const KernelDescriptor &kernel : code.kernels)
    if (kernel.floatMode != defaultFloatMode)
      return true;
  constexpr int modeRegister = 1, registerMask = 63;
  for (const Instruction &in : instructions)
    if ((in.op == Op::S_SETREG_B32 || in.op == Op::S_SETREG_IMM32_B32) &&
        (in.imm & registerMask) == modeRegister)
      return true;
  return false;
}

} // namespace

void Program::decodeText() {
  const uint8_t *text = code.text();
  uint32_t size = uint32_t(code.textSize) & ~3u;
  std::vector<uint32_t> entries;
  for (const KernelDescriptor &kernel : code.kernels)
    entries.push_back(kernel.entry);
  std::sort(entries.begin(), entries.end());

  stepOfDword.assign(size / 4, noStep);
  auto nextEntry = entries.begin();
  for (uint32_t pc = 0; pc < size;) {
    // A linear sweep that starts afresh at every kernel.
    while (nextEntry != entries.end() && *nextEntry <= pc)
      ++nextEntry;
    Instruction in;
    std::string error;
    if (!decode(code.arch, text, size, pc, in, error) || in.size == 0) {
      in = Instruction();
      in.pc = pc;
      in.size = 4;
    } else {
      error.clear();
    }
    if (nextEntry != entries.end() && pc + in.size > *nextEntry)
      in.size = uint8_t(*nextEntry - pc);
    stepOfDword[pc / 4] = uint32_t(instructions.size());
    instructions.push_back(in);
    refusals.push_back(error);
    pc += in.size;
  }

  program.resize(instructions.size() + 1);
  refusals.emplace_back("execution ran past the end of .text");
  instructions.emplace_back();
  instructions.back().pc = size;
  bool floatModes = changesFloatModes(code, instructions);
  for (size_t i = 0; i < program.size(); ++i) {
    Step &step = program[i];
    step.instruction = &instructions[i];
    if (refusals[i].empty())
      refusals[i] = prepareStep(
          step, operationTable(),
          [this](uint64_t value) { return constantRows(value); }, floatModes);
    if (refusals[i].empty() && isBranch(instructions[i].op)) {
      const Instruction &in = instructions[i];
      uint32_t target = stepAt(uint64_t(int64_t(in.pc) + in.size + int64_t(in.imm) * 4));
      if (target == noStep)
        refusals[i] = "the branch target is not the start of an instruction";
      step.target = target;
    }
    if (step.instruction->dpp != DppKind::None && refusals[i].empty()) {
      constants.push_back(std::make_unique<Row[]>(1));
      if (!dppSourceLanes(*step.instruction, constants.back()[0]))
        refusals[i] = "this DPP control is not modelled";
      step.sourceLanes = constants.back().get();
    }
    if (!refusals[i].empty())
      step.handler = &refuse;
  }
}

const Row *Program::constantRows(uint64_t value) {
  for (const auto &[known, rows] : constantIndex)
    if (known == value)
      return rows;
  constants.push_back(std::make_unique<Row[]>(2));
  Row *rows = constants.back().get();
  for (uint32_t l = 0; l < laneCount; ++l) {
    rows[0].lane[l] = uint32_t(value);
    rows[1].lane[l] = uint32_t(value >> 32);
  }
  constantIndex.emplace_back(value, rows);
  return rows;
}

void Program::registersOf(uint32_t first, uint32_t &vgprs,
                          uint32_t &agprs) const {
  vgprs = agprs = 0;
  std::vector<bool> seen(program.size());
  std::vector<uint32_t> work = {first};
  auto use = [&](const Operand &o) {
    if (o.kind == OperandKind::Vgpr)
      vgprs = std::max<uint32_t>(vgprs, o.index + o.dwords);
    if (o.kind == OperandKind::Agpr)
      agprs = std::max<uint32_t>(agprs, o.index + o.dwords);
  };
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    if (i >= program.size() || seen[i])
      continue;
    seen[i] = true;
    const Instruction &in = *program[i].instruction;
    for (const Operand *o : {&in.dst, &in.src[0], &in.src[1], &in.src[2],
                             &in.vaddr, &in.data, &in.data1})
      use(*o);
    if (isBranch(in.op) && in.op != Op::S_CALL_B64)
      work.push_back(program[i].target);
    if (in.op != Op::S_ENDPGM && in.op != Op::S_BRANCH &&
        in.op != Op::S_SETPC_B64 && refusals[i].empty())
      work.push_back(i + 1);
  }
}

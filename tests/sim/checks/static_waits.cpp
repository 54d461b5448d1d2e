// A forward data-flow analysis over instructions; see static_waits.h.
#include "tests/sim/checks/static_waits.h"

#include <algorithm>
#include <deque>
#include <set>

using namespace hipsim;
using namespace hipsim::test;

namespace {

enum Counter { Vm, Lgkm };

/// A register that is being loaded: by which instruction, and how many younger
/// ordered operations the counter has seen on the path with the fewest.
struct Pending {
  size_t operation;
  unsigned younger;
  bool ordered;
  bool operator==(const Pending &) const = default;
};
/// By (counter, register).
using State = std::map<std::pair<Counter, unsigned>, Pending>;

unsigned fileOf(const Operand &o) {
  return o.kind == OperandKind::Vgpr   ? 0
         : o.kind == OperandKind::Agpr ? 1000
         : o.kind == OperandKind::Sgpr ? 2000
                                       : 9000;
}
void addRegisters(std::vector<unsigned> &out, const Operand &o) {
  if (fileOf(o) < 9000)
    for (unsigned i = 0; i < o.dwords; ++i)
      out.push_back(fileOf(o) + o.index + i);
}

bool isMemory(const Instruction &in) {
  switch (in.format) {
  case Format::SMEM: case Format::DS: case Format::MUBUF: case Format::FLAT:
  case Format::GLOBAL: case Format::SCRATCH:
    return in.op != Op::BUFFER_INV;
  default: return false;
  }
}

void touch(State &state, const Instruction &in, size_t index, std::vector<EarlyUse> &found) {
  std::vector<unsigned> reads, writes;
  for (const Operand *o : {&in.src[0], &in.src[1], &in.src[2], &in.vaddr, &in.saddr, &in.soffset,
                           &in.data, &in.data1})
    addRegisters(reads, *o);
  addRegisters(writes, in.dst);
  addRegisters(writes, in.dst2);
  switch (in.op) {
  case Op::S_CBRANCH_VCCZ: case Op::S_CBRANCH_VCCNZ: case Op::V_DIV_FMAS_F32: case Op::V_DIV_FMAS_F64:
    reads.insert(reads.end(), {2106, 2107});
    break;
  default: break;
  }
  bool vectorMemory = isMemory(in) && in.format != Format::SMEM && in.format != Format::DS &&
                      in.format != Format::FLAT;
  for (Counter c : {Vm, Lgkm}) {
    for (unsigned r : reads)
      if (auto it = state.find({c, r}); it != state.end())
        found.push_back({index, it->second.operation});
    for (unsigned r : writes)
      if (auto it = state.find({c, r}); it != state.end()) {
        // Loads of one kind write in order.
        bool inOrder = it->second.ordered && ((c == Vm && vectorMemory) ||
                                              (c == Lgkm && in.format == Format::DS));
        if (!inOrder)
          found.push_back({index, it->second.operation});
      }
  }
}

void count(State &state, Counter counter, bool ordered) {
  for (auto &[key, p] : state)
    if (key.first == counter && ordered)
      p.younger = std::min(p.younger + 1, 64u);
}

void step(State &state, const Instruction &in, size_t index) {
  if (in.op == Op::S_WAITCNT) {
    unsigned imm = unsigned(in.imm);
    unsigned limit[2] = {(imm & 15) | (imm >> 14 & 3) << 4, imm >> 8 & 15}, most[2] = {63, 15};
    std::erase_if(state, [&](const auto &entry) {
      Counter c = entry.first.first;
      unsigned n = limit[c];
      return n < most[c] && (n == 0 || (entry.second.ordered && entry.second.younger >= n));
    });
    return;
  }
  if (!isMemory(in))
    return;
  bool flat = in.format == Format::FLAT, scalar = in.format == Format::SMEM;
  bool usesVm = in.format != Format::DS && !scalar, usesLgkm = !usesVm || flat;
  for (Counter c : {Vm, Lgkm}) {
    if (c == Vm ? !usesVm : !usesLgkm)
      continue;
    count(state, c, !flat && !scalar);
    std::vector<unsigned> loaded;
    addRegisters(loaded, in.dst);
    for (unsigned r : loaded)
      state[{c, r}] = {index, 0, !flat && !scalar};
  }
}

/// Keeps what is worse on either path. True: `into` has changed.
bool join(State &into, const State &from) {
  bool changed = false;
  for (const auto &[key, p] : from) {
    auto [it, added] = into.try_emplace(key, p);
    if (!added && (p.younger < it->second.younger || (!p.ordered && it->second.ordered))) {
      it->second = p;
      changed = true;
    }
    changed |= added;
  }
  return changed;
}

} // namespace

DecodedText hipsim::test::decodeText(const CodeObject &code) {
  DecodedText out;
  std::set<uint32_t> entries;
  for (const KernelDescriptor &k : code.kernels)
    entries.insert(k.entry);
  for (uint32_t pc = 0; pc + 4 <= code.textSize;) {
    Instruction in;
    std::string error;
    if (!decode(code.arch, code.text(), code.textSize, pc, in, error)) {
      in = Instruction();
      in.size = 4;
    }
    auto next = entries.upper_bound(pc);
    if (next != entries.end() && pc + in.size > *next)
      in.size = uint8_t(*next - pc);
    in.pc = pc;
    out.at[pc] = out.instructions.size();
    out.instructions.push_back(in);
    pc += in.size;
  }
  return out;
}

std::vector<EarlyUse> hipsim::test::findEarlyUses(const DecodedText &text, uint32_t entry) {
  const auto &code = text.instructions;
  std::vector<State> in(code.size());
  std::vector<bool> seen(code.size());
  std::deque<size_t> work = {text.at.at(entry)};
  seen[work.front()] = true;
  std::set<std::pair<size_t, size_t>> unique;
  auto flow = [&](const State &state, size_t to) {
    if (to >= code.size())
      return;
    bool changed = join(in[to], state) || !seen[to];
    seen[to] = true;
    if (changed)
      work.push_back(to);
  };
  while (!work.empty()) {
    size_t i = work.front();
    work.pop_front();
    const Instruction &instruction = code[i];
    State state = in[i];
    std::vector<EarlyUse> found;
    touch(state, instruction, i, found);
    for (const EarlyUse &use : found)
      unique.insert({use.use, use.operation});
    step(state, instruction, i);
    bool branch = false, falls = true;
    switch (instruction.op) {
    case Op::S_ENDPGM: case Op::S_SETPC_B64: falls = false; break;
    case Op::S_BRANCH: branch = true; falls = false; break;
    case Op::S_CBRANCH_SCC0: case Op::S_CBRANCH_SCC1: case Op::S_CBRANCH_VCCZ:
    case Op::S_CBRANCH_VCCNZ: case Op::S_CBRANCH_EXECZ: case Op::S_CBRANCH_EXECNZ:
      branch = true;
      break;
    default: break;
    }
    if (falls)
      flow(state, i + 1);
    if (branch) {
      auto target = text.at.find(uint32_t(int64_t(instruction.pc) + 4 + instruction.imm * 4));
      if (target != text.at.end())
        flow(state, target->second);
    }
  }
  std::vector<EarlyUse> result;
  for (auto [use, operation] : unique)
    result.push_back({use, operation});
  return result;
}

// Addresses of memory instructions as the caches see them; see accesses.h.
//
// The executor computes addresses, too, but in code of a SIMD level and only to
// follow them. Here nothing is checked: a wrong access is the executor's
// business, which raises the fault right after.
#include "runtime/hipsim/timing/accesses.h"

#include <algorithm>
#include <cstring>

namespace hipsim::timing {

namespace {

/// High halves of flat addresses outside global memory (ops/lanes.h).
constexpr uint64_t sharedHigh = 0x00010000, privateHigh = 0x00020000;

const uint32_t *rowOf(const Wave &w, const Operand &o) {
  return w.rows[o.kind == OperandKind::Agpr ? agprRow + o.index : o.index].lane;
}
uint64_t pair(const uint32_t *p) { return uint64_t(p[0]) | uint64_t(p[1]) << 32; }
uint32_t scalarOf(const Wave &w, const Operand &o) {
  return o.kind == OperandKind::Sgpr    ? w.sgpr[o.index]
         : o.kind == OperandKind::Const ? o.value
                                        : 0;
}
uint64_t execOf(const Wave &w) { return pair(w.sgpr + sgprExec); }

/// Active lanes with an address each; addresses are of this access only.
struct LaneAddresses {
  uint64_t lanes = 0;
  uint64_t address[laneCount];
};

void flatAddresses(const Wave &w, const Instruction &in, LaneAddresses &out) {
  out.lanes = execOf(w);
  uint64_t offset = uint64_t(int64_t(in.offset));
  if (in.saddr.kind == OperandKind::Sgpr) {
    uint64_t base = pair(w.sgpr + in.saddr.index) + offset;
    const uint32_t *v = in.vaddr.kind == OperandKind::None ? nullptr : rowOf(w, in.vaddr);
    for (uint32_t l = 0; l < laneCount; ++l)
      out.address[l] = base + (v ? v[l] : 0);
    return;
  }
  const uint32_t *v = rowOf(w, in.vaddr);
  for (uint32_t l = 0; l < laneCount; ++l)
    out.address[l] = (uint64_t(v[l]) | uint64_t(v[l + laneCount]) << 32) + offset;
}

/// Lanes out of range do not reach memory.
void bufferAddresses(const Wave &w, const Instruction &in, uint32_t bytes,
                     LaneAddresses &out) {
  const uint32_t *d = w.sgpr + in.saddr.index;
  uint64_t base = uint64_t(d[0]) | uint64_t(d[1] & 0xffff) << 32;
  uint64_t stride = d[1] >> 16 & 0x3fff, records = d[2];
  uint64_t soffset = scalarOf(w, in.soffset);
  const uint32_t *row = in.idxen || in.offen ? rowOf(w, in.vaddr) : nullptr;
  const uint32_t *index = in.idxen ? row : nullptr;
  const uint32_t *offset = in.offen ? row + (in.idxen ? laneCount : 0) : nullptr;
  bool structured = in.idxen && stride;
  for (uint64_t e = execOf(w); e; e &= e - 1) {
    uint32_t l = uint32_t(__builtin_ctzll(e));
    uint64_t at = uint64_t((offset ? offset[l] : 0) + uint32_t(in.offset)) + soffset;
    uint64_t i = index ? index[l] : 0;
    if (structured ? i >= records : at + std::min(bytes, 4u) > records)
      continue;
    out.lanes |= 1ull << l;
    out.address[l] = base + stride * i + at;
  }
}

/// Distinct 64-byte blocks and the lines around them, in address order.
void collect(const LaneAddresses &a, uint32_t bytes, Touched &out) {
  uint64_t blocks[2 * laneCount];
  uint32_t count = 0;
  for (uint64_t e = a.lanes; e; e &= e - 1) {
    uint64_t at = a.address[__builtin_ctzll(e)];
    for (uint64_t b = at / 64; b <= (at + bytes - 1) / 64; ++b)
      if ((!count || blocks[count - 1] != b) && count < 2 * laneCount)
        blocks[count++] = b;
    out.bytes += bytes;
  }
  std::sort(blocks, blocks + count);
  count = uint32_t(std::unique(blocks, blocks + count) - blocks);
  out.chunks = uint16_t(count);
  for (uint32_t i = 0; i < count; ++i)
    if (!out.lineCount || out.line[out.lineCount - 1] != blocks[i] / 2)
      out.line[out.lineCount++] = blocks[i] / 2;
}

void addLds(const uint32_t *address, uint64_t lanes, uint32_t bytes, Touched &out) {
  out.ldsClk += uint16_t(ldsClocks(address, lanes, bytes));
  uint32_t moved = uint32_t(__builtin_popcountll(lanes)) * bytes;
  out.ldsIdealClk += uint16_t((moved + 127) / 128);
  out.bytes += moved;
}

void touchLds(const Wave &w, const Instruction &in, Touched &out) {
  const char *name = mnemonic(in.op);
  uint64_t lanes = execOf(w);
  if (in.vaddr.kind == OperandKind::None)
    return;
  // Lane crossings use the crossbar of LDS, not its memory: one pass.
  if (std::strstr(name, "permute") || std::strstr(name, "swizzle")) {
    out.ldsClk = out.ldsIdealClk = 2;
    return;
  }
  const uint32_t *v = rowOf(w, in.vaddr);
  uint32_t bytes = bytesOfLane(in), address[laneCount];
  bool two = std::strstr(name, "read2") || std::strstr(name, "write2");
  uint32_t scale = two ? bytes * (std::strstr(name, "st64") ? 64 : 1) : 1;
  for (uint32_t half = 0; half < (two ? 2u : 1u); ++half) {
    uint32_t offset = two ? (uint32_t(in.offset) >> (8 * half) & 0xff) * scale
                          : uint32_t(in.offset);
    for (uint32_t l = 0; l < laneCount; ++l)
      address[l] = v[l] + offset;
    addLds(address, lanes, std::max(bytes, 4u), out);
  }
}

void touchScalar(const Wave &w, const Step &s, Touched &out) {
  const Instruction &in = *s.instruction;
  if (in.dst.kind != OperandKind::Sgpr || in.src[0].kind != OperandKind::Sgpr)
    return; // Cache control and clocks.
  uint64_t base = pair(w.sgpr + in.src[0].index);
  if (std::strstr(mnemonic(in.op), "buffer"))
    base &= (1ull << 48) - 1;
  LaneAddresses a;
  a.lanes = 1;
  a.address[0] = base + uint64_t(int64_t(in.offset)) + scalarOf(w, in.src[1]);
  collect(a, in.dst.dwords * 4, out);
}

/// Flat addresses may lie in LDS: those lanes go there.
void splitFlat(LaneAddresses &a, uint32_t bytes, Touched &out) {
  uint32_t address[laneCount] = {};
  uint64_t shared = 0;
  for (uint64_t e = a.lanes; e; e &= e - 1) {
    uint32_t l = uint32_t(__builtin_ctzll(e));
    uint64_t high = a.address[l] >> 32;
    if (high == sharedHigh) {
      shared |= 1ull << l;
      address[l] = uint32_t(a.address[l]);
    }
    if (high == sharedHigh || high == privateHigh)
      a.lanes &= ~(1ull << l);
  }
  if (shared)
    addLds(address, shared, std::max(bytes, 4u), out);
}

struct Suffix {
  const char *text;
  uint32_t bytes;
};
/// Longer ones first; the first that the mnemonic contains counts.
constexpr Suffix suffixes[] = {
    {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4},
    {"ubyte", 1},    {"sbyte", 1},    {"byte", 1},    {"ushort", 2},
    {"sshort", 2},   {"short", 2},    {"b128", 16},   {"b96", 12},
    {"_x2", 8},      {"f64", 8},      {"b64", 8},     {"u64", 8},
    {"i64", 8},      {"b32", 4},      {"u16", 2},     {"i16", 2},
    {"b16", 2},      {"u8", 1},       {"i8", 1},      {"b8", 1},
};

} // namespace

uint32_t bytesOfLane(const Instruction &in) {
  const char *name = mnemonic(in.op);
  for (const Suffix &s : suffixes)
    if (std::strstr(name, s.text))
      return s.bytes;
  return 4; // 32-bit atomics.
}

bool writesMemory(const Instruction &in) {
  const char *name = mnemonic(in.op);
  return std::strstr(name, "store") || std::strstr(name, "atomic");
}

uint32_t ldsClocks(const uint32_t *address, uint64_t lanes, uint32_t bytes) {
  constexpr uint32_t banks = 32;
  uint32_t dwords = bytes / 4, group = banks / std::max(dwords, 1u), clocks = 0;
  group = group >= 32 ? 32 : group >= 16 ? 16 : 8;
  for (uint32_t first = 0; first < laneCount; first += group) {
    uint32_t seen[banks][32], count[banks] = {}, worst = 0;
    for (uint32_t l = first; l < first + group; ++l) {
      if (!(lanes >> l & 1))
        continue;
      for (uint32_t d = 0; d < dwords; ++d) {
        uint32_t dword = address[l] / 4 + d, bank = dword % banks;
        uint32_t *known = seen[bank], n = count[bank];
        if (n < 32 && std::find(known, known + n, dword) == known + n) {
          known[n] = dword;
          worst = std::max(worst, ++count[bank]);
        }
      }
    }
    clocks += worst;
  }
  return clocks;
}

Touched touchedBy(const Wave &w, const Step &s) {
  const Instruction &in = *s.instruction;
  Touched out;
  if (s.stepClass == StepClass::Lds) {
    touchLds(w, in, out);
    return out;
  }
  if (s.stepClass == StepClass::ScalarMemory) {
    touchScalar(w, s, out);
    return out;
  }
  uint32_t bytes = bytesOfLane(in);
  out.write = writesMemory(in);
  LaneAddresses a;
  if (s.stepClass == StepClass::Buffer) {
    bufferAddresses(w, in, bytes, a);
  } else if (s.stepClass == StepClass::Scratch) {
    // Private memory is interleaved by lane: a dword of 64 lanes is 256 bytes.
    a.lanes = execOf(w);
    uint64_t base = reinterpret_cast<uint64_t>(w.scratch);
    const uint32_t *v = in.vaddr.kind == OperandKind::None ? nullptr : rowOf(w, in.vaddr);
    uint32_t offset = uint32_t(in.offset) +
                      (in.saddr.kind == OperandKind::Sgpr ? w.sgpr[in.saddr.index] : 0);
    for (uint32_t l = 0; l < laneCount; ++l)
      a.address[l] = base + uint64_t((offset + (v ? v[l] : 0)) / 4) * 256 + l * 4;
  } else {
    flatAddresses(w, in, a);
    if (in.format == Format::FLAT)
      splitFlat(a, bytes, out);
  }
  collect(a, bytes, out);
  if (in.lds) { // Through to LDS, without conflicts: lanes are consecutive.
    uint32_t moved = uint32_t(__builtin_popcountll(a.lanes)) * std::max(bytes, 4u);
    out.ldsClk = out.ldsIdealClk = uint16_t((moved + 127) / 128);
  }
  return out;
}

} // namespace hipsim::timing

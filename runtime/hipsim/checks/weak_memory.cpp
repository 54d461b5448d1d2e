// The caches of the dies; see weak_memory.h.
#include "runtime/hipsim/checks/weak_memory.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

uint64_t read64(const uint32_t *p) {
  uint64_t value;
  std::memcpy(&value, p, 8);
  return value;
}

uint32_t scalarOf(const Wave &w, const Operand &o) {
  return o.kind == OperandKind::Sgpr    ? w.sgpr[o.index]
         : o.kind == OperandKind::Const ? o.value
                                        : 0;
}

const uint32_t *rowOf(const Wave &w, const Operand &o, uint32_t next = 0) {
  uint32_t row = (o.kind == OperandKind::Agpr ? agprRow : 0) + o.index + next;
  return w.rows[row].lane;
}

/// Calls f(address, bytes) for what each active lane accesses in global memory.
template <class F>
void forEachAccess(const Wave &w, const Instruction &in, uint32_t bytes, F f) {
  if (in.format == Format::SMEM) {
    uint64_t offset = uint64_t(int64_t(in.offset)) + scalarOf(w, in.src[1]);
    f((read64(w.sgpr + in.src[0].index) + offset) & ~3ull, bytes);
    return;
  }
  uint64_t exec = read64(w.sgpr + sgprExec);
  bool buffer = in.format == Format::MUBUF;
  const uint32_t *v = w.sgpr + in.saddr.index; // Buffer descriptor or base.
  uint64_t offset = buffer ? uint32_t(in.offset) : uint64_t(int64_t(in.offset));
  for (; exec; exec &= exec - 1) {
    uint32_t l = uint32_t(__builtin_ctzll(exec));
    if (buffer) {
      uint64_t base = v[0] | uint64_t(v[1] & 0xffff) << 32, records = v[2];
      uint64_t stride = v[1] >> 16 & 0x3fff, index = in.idxen ? rowOf(w, in.vaddr)[l] : 0;
      uint32_t inside = in.offen ? rowOf(w, in.vaddr, in.idxen)[l] : 0;
      uint64_t at = uint64_t(uint32_t(inside + offset)) + scalarOf(w, in.soffset);
      bool structured = in.idxen && stride;
      uint64_t room = structured ? (index < records ? bytes : 0)
                      : records > at ? records - at : 0;
      uint64_t unit = std::min(bytes, 4u), count = std::min<uint64_t>(room, bytes) / unit * unit;
      if (count)
        f(base + stride * index + at, uint32_t(count));
      continue;
    }
    uint64_t address = offset;
    if (in.saddr.kind == OperandKind::Sgpr)
      address += read64(v) + (in.vaddr.kind == OperandKind::None ? 0 : rowOf(w, in.vaddr)[l]);
    else
      address += rowOf(w, in.vaddr)[l] | uint64_t(rowOf(w, in.vaddr, 1)[l]) << 32;
    uint64_t high = address >> 48;
    if (in.format == Format::FLAT && (high == 1 || high == 2))
      continue; // LDS or private memory.
    f(address, bytes);
  }
}

} // namespace

WeakMemory::~WeakMemory() {
  for (Cache &cache : caches)
    for (auto &[number, line] : cache)
      release(number, line);
}

bool WeakMemory::chance() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 40 & 3;
}

/// Writes the dirty bytes to memory; the line stays valid.
void WeakMemory::release(uint64_t number, Line &line) {
  auto *memory = reinterpret_cast<uint8_t *>(number * lineBytes);
  for (uint64_t m = line.dirty; m; m &= m - 1) {
    uint32_t i = uint32_t(__builtin_ctzll(m));
    memory[i] = line.data[i];
  }
  line.dirty = 0;
}

void WeakMemory::writeBack(const Workgroup &group) {
  for (auto &[number, line] : cacheOf(group))
    if (line.dirty)
      release(number, line);
}

void WeakMemory::invalidate(const Workgroup &group) {
  Cache &cache = cacheOf(group);
  for (auto it = cache.begin(); it != cache.end();) {
    it->second.valid = it->second.dirty;
    it = it->second.valid ? std::next(it) : cache.erase(it);
  }
}

void WeakMemory::findTouched(const Wave &w, const Step &s, const Effects &e,
                             Cache &cache) {
  touched.clear();
  bool ascending = true;
  forEachAccess(w, *s.instruction, e.globalBytes, [&](uint64_t address, uint32_t bytes) {
    for (uint64_t end = address + bytes; address < end;) {
      uint64_t number = address / lineBytes, first = address % lineBytes;
      uint64_t count = std::min(end - address, lineBytes - first);
      uint64_t mask = (count == lineBytes ? ~0ull : (1ull << count) - 1) << first;
      if (!touched.empty() && touched.back().number == number) {
        touched.back().mask |= mask;
      } else {
        ascending &= touched.empty() || touched.back().number < number;
        touched.push_back({number, mask, nullptr});
      }
      address += count;
    }
  });
  if (!ascending) {
    std::sort(touched.begin(), touched.end(),
              [](const auto &a, const auto &b) { return a.number < b.number; });
    size_t kept = 0;
    for (const TouchedLine &t : touched)
      if (kept && touched[kept - 1].number == t.number)
        touched[kept - 1].mask |= t.mask;
      else
        touched[kept++] = t;
    touched.resize(kept);
  }
  for (TouchedLine &t : touched)
    if (auto it = cache.find(t.number); it != cache.end())
      t.cached = &it->second;
}

void WeakMemory::execute(Wave &w, const Step &s, const Effects &e) {
  Cache &cache = cacheOf(*w.group);
  findTouched(w, s, e, cache);
  bool plain = e.global != GlobalAccess::Atomic && !s.instruction->sc1;
  if (plain && e.global == GlobalAccess::Load)
    return load(w, s, cache);
  if (plain && e.global == GlobalAccess::Store)
    return store(w, s, cache);
  // At memory: what the die holds of these lines goes there first.
  for (TouchedLine &t : touched)
    if (t.cached) {
      release(t.number, *t.cached);
      cache.erase(t.number);
    }
  s.handler(w, s);
}

/// Swaps the valid bytes of a cached line with memory where they differ.
static void swapBytes(uint64_t number, uint8_t *data, uint64_t mask) {
  auto *memory = reinterpret_cast<uint8_t *>(number * 64);
  if (std::memcmp(memory, data, 64) == 0)
    return;
  for (; mask; mask &= mask - 1) {
    uint32_t i = uint32_t(__builtin_ctzll(mask));
    if (memory[i] != data[i])
      std::swap(memory[i], data[i]);
  }
}

void WeakMemory::load(Wave &w, const Step &s, Cache &cache) {
  for (TouchedLine &t : touched)
    if (t.cached)
      swapBytes(t.number, t.cached->data, t.cached->valid);
  s.handler(w, s);
  for (TouchedLine &t : touched)
    if (t.cached)
      swapBytes(t.number, t.cached->data, t.cached->valid);
  if (w.status == WaveStatus::Faulted)
    return; // The addresses may not be readable.
  // A load may bring the whole line in, where it stays until an acquire.
  for (TouchedLine &t : touched) {
    if ((t.cached && t.cached->valid == ~0ull) || !chance())
      continue;
    Line &line = t.cached ? *t.cached : cache[t.number];
    const auto *memory = reinterpret_cast<const uint8_t *>(t.number * lineBytes);
    if (!line.valid)
      std::memcpy(line.data, memory, lineBytes);
    for (uint32_t i = 0; line.valid && i < lineBytes; ++i)
      if (!(line.valid >> i & 1))
        line.data[i] = memory[i];
    line.valid = ~0ull;
  }
}

void WeakMemory::store(Wave &w, const Step &s, Cache &cache) {
  // Memory is restored after the handler has checked and written it.
  std::vector<Line> before(touched.size());
  for (size_t k = 0; k < touched.size(); ++k) {
    const TouchedLine &t = touched[k];
    uint64_t first = t.number * lineBytes;
    for (uint64_t m = t.mask; m; m &= m - 1) {
      uint32_t i = uint32_t(__builtin_ctzll(m));
      // An illegal address is the handler's to report.
      if (!findAccess(*w.group, first + i, 1, true))
        continue;
      before[k].data[i] = *reinterpret_cast<uint8_t *>(first + i);
      before[k].valid |= 1ull << i;
    }
  }
  s.handler(w, s);
  if (w.status == WaveStatus::Faulted)
    return;
  for (size_t k = 0; k < touched.size(); ++k) {
    const TouchedLine &t = touched[k];
    Line &line = t.cached ? *t.cached : cache[t.number];
    auto *memory = reinterpret_cast<uint8_t *>(t.number * lineBytes);
    for (uint64_t m = before[k].valid; m; m &= m - 1) {
      uint32_t i = uint32_t(__builtin_ctzll(m));
      line.data[i] = memory[i];
      memory[i] = before[k].data[i];
    }
    line.valid |= before[k].valid;
    line.dirty |= before[k].valid;
  }
}

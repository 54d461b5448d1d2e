// Tagging LDS bytes; see lds_races.h.
#include "runtime/hipsim/checks/lds_races.h"

#include <algorithm>

using namespace hipsim;

namespace {

/// Some byte has a tag of this phase by another wave.
template <uint32_t Bytes>
inline bool foreign(const uint16_t *tags, uint16_t base, uint16_t mine) {
  uint32_t bad = 0;
  for (uint32_t i = 0; i < Bytes; ++i)
    bad |= uint32_t(tags[i] >= base) & uint32_t(tags[i] != mine);
  return bad;
}
template <uint32_t Bytes>
inline void share(uint16_t *tags, uint16_t base, uint16_t mine, uint16_t many) {
  for (uint32_t i = 0; i < Bytes; ++i)
    tags[i] = tags[i] >= base && tags[i] != mine ? many : mine;
}

} // namespace

void LdsRaces::start(uint32_t ldsBytes) {
  // Accesses of 16 bytes may look past the last byte.
  if (readers.tag.size() < ldsBytes + 16)
    for (Layer *layer : {&readers, &writers, &atomics}) {
      layer->tag.assign(ldsBytes + 16, 0);
      layer->step.assign(ldsBytes / 4 + 8, nullptr);
    }
  atomicsUsed = false;
  nextPhase();
}

void LdsRaces::nextPhase() {
  constexpr uint32_t last = (1u << (16 - waveBits)) - 1;
  if (++phase > last) {
    for (Layer *layer : {&readers, &writers, &atomics})
      std::fill(layer->tag.begin(), layer->tag.end(), 0);
    phase = 1;
  }
  base = Tag(phase << waveBits);
}

LdsRaces::Race LdsRaces::explain(uint32_t lane, uint32_t begin, uint32_t bytes,
                                 Tag mine, LdsAccess kind) const {
  struct Candidate {
    const Layer *layer;
    LdsAccess other;
    bool applies;
  };
  const Candidate candidates[] = {
      {&writers, LdsAccess::Write, true},
      {&atomics, LdsAccess::Atomic, kind != LdsAccess::Atomic},
      {&readers, LdsAccess::Read, kind != LdsAccess::Read},
  };
  for (const Candidate &c : candidates)
    for (uint32_t b = begin; c.applies && b < begin + bytes; ++b) {
      Tag tag = c.layer->tag[b];
      if (tag < base || tag == mine)
        continue;
      uint32_t wave = tag - base;
      return {true, lane, b, c.other, wave == several ? -1 : int(wave),
              c.layer->step[b / 4]};
    }
  return {};
}

template <uint32_t Bytes>
LdsRaces::Race LdsRaces::accessBytes(Tag mine, const Step &step, LdsAccess kind,
                                     const LdsFootprint &f) {
  const Tag many = base | several;
  for (uint32_t piece = 0; piece < f.pieces; ++piece)
    for (uint64_t m = f.lanes[piece]; m; m &= m - 1) {
      uint32_t l = uint32_t(__builtin_ctzll(m)), at = f.offset[piece][l];
      bool bad = foreign<Bytes>(&writers.tag[at], base, mine);
      if (atomicsUsed && kind != LdsAccess::Atomic)
        bad |= foreign<Bytes>(&atomics.tag[at], base, mine);
      if (kind != LdsAccess::Read)
        bad |= foreign<Bytes>(&readers.tag[at], base, mine);
      if (bad)
        return explain(l, at, Bytes, mine, kind);
      Layer &layer = kind == LdsAccess::Read    ? readers
                     : kind == LdsAccess::Write ? writers
                                                : atomics;
      share<Bytes>(&layer.tag[at], base, mine, many);
      uint32_t dwords = (at + Bytes - 1) / 4 - at / 4 + 1;
      for (uint32_t i = 0; i < dwords; ++i)
        layer.step[at / 4 + i] = &step;
    }
  return {};
}

LdsRaces::Race LdsRaces::access(uint32_t wave, const Step &step, LdsAccess kind,
                                const LdsFootprint &f) {
  Tag mine = Tag(base | wave);
  atomicsUsed |= kind == LdsAccess::Atomic;
  switch (f.bytes) {
  case 1: return accessBytes<1>(mine, step, kind, f);
  case 2: return accessBytes<2>(mine, step, kind, f);
  case 4: return accessBytes<4>(mine, step, kind, f);
  case 8: return accessBytes<8>(mine, step, kind, f);
  case 12: return accessBytes<12>(mine, step, kind, f);
  default: return accessBytes<16>(mine, step, kind, f);
  }
}

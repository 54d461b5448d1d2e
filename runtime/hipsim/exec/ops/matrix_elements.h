// Elements of matrix operands and the place of results: what the dense and the
// sparse matrix instructions share.
#pragma once

#include "runtime/hipsim/exec/float8.h"
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

enum class Element { F32, Xf32, Bf16, F16, Fp8, Bf8, I8 };

constexpr u32 perRegister(Element e) {
  switch (e) {
  case Element::F32:
  case Element::Xf32: return 1;
  case Element::Bf16:
  case Element::F16: return 2;
  default: return 4;
  }
}

/// Elements of one source as rows of 64 lanes: out[e] = element e of each lane.
template <Element E, class T, u32 Count>
HIPSIM_INLINE void unpack(Wave &w, u32 row, T (&out)[Count][laneCount]) {
  constexpr u32 per = perRegister(E);
  const float *table = nullptr;
  if constexpr (E == Element::Fp8 || E == Element::Bf8)
    table = float8Values(float8Of(Arch(w.arch), E == Element::Bf8));
  for (u32 e = 0; e < Count; ++e) {
    const u32 *r = w.rows[row + e / per].lane;
    u32 part = e % per;
    HIPSIM_LANES {
      u32 v = r[l];
      if constexpr (E == Element::F32)
        out[e][l] = bits<float>(v);
      else if constexpr (E == Element::Xf32)
        out[e][l] = bits<float>(v & 0xffffe000u); // 10-bit mantissa.
      else if constexpr (E == Element::Bf16)
        out[e][l] = bits<float>(part ? v & 0xffff0000u : v << 16);
      else if constexpr (E == Element::F16)
        out[e][l] = float(bits<f16>(u16(v >> (16 * part))));
      else if constexpr (E == Element::I8)
        out[e][l] = T(i32(v << (24 - 8 * part)) >> 24);
      else
        out[e][l] = table[v >> (8 * part) & 0xff];
    }
  }
}

/// Register and first lane of row i of a block's result; a row is M lanes.
/// 16x16: i = 4 * (l / 16) + r. 32x32: i = 8 * (r / 4) + 4 * (l / 32) + r % 4.
template <u32 M> constexpr u32 resultRegister(u32 i) {
  if constexpr (M == 32)
    return 4 * (i / 8) + i % 4;
  else if constexpr (M == 16)
    return i % 4;
  else
    return i;
}
template <u32 M> constexpr u32 resultLane(u32 i) {
  if constexpr (M == 32)
    return 32 * (i / 4 % 2);
  else if constexpr (M == 16)
    return 16 * (i / 4);
  else
    return 0;
}

} // namespace hipsim::HIPSIM_SIMD

// Reading operands, writing results: the lane loops that all handlers share.
//
// Included only by ops/*.cpp, which are compiled once a SIMD level into the
// namespace HIPSIM_SIMD. Nothing here may come from the standard library:
// inline functions of two levels would be merged by the linker, and the wrong
// one would run on a processor without the instructions.
#pragma once

#include "runtime/hipsim/exec/operation.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace hipsim::HIPSIM_SIMD {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f16 = _Float16;

#define HIPSIM_LANES                                                           \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (      \
      u32 l = 0; l < laneCount; ++l)
#define HIPSIM_INLINE [[clang::always_inline]] static inline

template <class To, class From> HIPSIM_INLINE To bits(From value) {
  return __builtin_bit_cast(To, value);
}

HIPSIM_INLINE u64 load64(const u32 *p) {
  u64 value;
  __builtin_memcpy(&value, p, 8);
  return value;
}
HIPSIM_INLINE void store64(u32 *p, u64 value) { __builtin_memcpy(p, &value, 8); }
HIPSIM_INLINE u64 exec(const Wave &w) { return load64(w.sgpr + sgprExec); }
HIPSIM_INLINE u64 vcc(const Wave &w) { return load64(w.sgpr + sgprVcc); }

/// EXEC as a row of all-ones or zero lanes.
HIPSIM_INLINE const u32 *execMask(Wave &w) {
  u64 e = exec(w);
  if (w.maskExec != e) {
    HIPSIM_LANES w.mask.lane[l] = 0u - u32((e >> l) & 1);
    w.maskExec = e;
  }
  return w.mask.lane;
}

/// Bit l = lane l of `row` is negative (its top bit is set).
HIPSIM_INLINE u64 signBits(const u32 *row) {
  u64 result = 0;
#if defined(__AVX512F__)
  for (u32 i = 0; i < 4; ++i)
    result |= u64(_mm512_movepi32_mask(_mm512_loadu_si512(row + 16 * i)))
              << (16 * i);
#elif defined(__AVX2__)
  for (u32 i = 0; i < 8; ++i)
    result |= u64(u32(_mm256_movemask_ps(_mm256_loadu_ps(
                  reinterpret_cast<const float *>(row + 8 * i)))))
              << (8 * i);
#else
  for (u32 l = 0; l < laneCount; ++l)
    result |= u64(row[l] >> 31) << l;
#endif
  return result;
}

/// The row of a VGPR or AGPR operand.
HIPSIM_INLINE u32 rowOf(const Operand &o) {
  return o.kind == OperandKind::Agpr ? agprRow + o.index : o.index;
}

HIPSIM_INLINE void broadcast(Row &row, u32 value) {
  HIPSIM_LANES row.lane[l] = value;
}

/// The value of a scalar register or a special source.
HIPSIM_INLINE u32 special32(const Wave &w, u32 code) {
  switch (code) {
  case 251: return vcc(w) == 0;
  case 252: return exec(w) == 0;
  case 253: return w.scc;
  default: return 0; // Apertures read as zero in 32 bits, as on the hardware.
  }
}
constexpr u64 sharedAperture = 0x0001000000000000ull;
constexpr u64 privateAperture = 0x0002000000000000ull;
HIPSIM_INLINE u64 special64(const Wave &w, u32 code) {
  switch (code) {
  case 235: return sharedAperture;
  case 236: return sharedAperture + 0xffffffffull;
  case 237: return privateAperture;
  case 238: return privateAperture + 0xffffffffull;
  default: return special32(w, code);
  }
}

HIPSIM_INLINE u32 scalar32(const Wave &w, const Source &s) {
  if (s.kind == SourceKind::Scalar)
    return w.sgpr[s.index];
  if (s.kind == SourceKind::Constant)
    return u32(s.value);
  return special32(w, s.index);
}
HIPSIM_INLINE u64 scalar64(const Wave &w, const Source &s) {
  if (s.kind == SourceKind::Scalar)
    return load64(w.sgpr + s.index);
  if (s.kind == SourceKind::Constant)
    return s.value;
  return special64(w, s.index);
}

/// A source as one row; `scratch` is used when it is not already one.
HIPSIM_INLINE const u32 *row32(Wave &w, const Source &s, Row &scratch) {
  if (s.kind == SourceKind::Row)
    return w.rows[s.index].lane;
  if (s.kind == SourceKind::Constant)
    return s.row->lane;
  broadcast(scratch, scalar32(w, s));
  return scratch.lane;
}

struct Rows2 {
  const u32 *lo, *hi;
};
HIPSIM_INLINE Rows2 row64(Wave &w, const Source &s, Row *scratch) {
  if (s.kind == SourceKind::Row)
    return {w.rows[s.index].lane, w.rows[s.index + 1].lane};
  if (s.kind == SourceKind::Constant)
    return {s.row[0].lane, s.row[1].lane};
  u64 value = scalar64(w, s);
  broadcast(scratch[0], u32(value));
  broadcast(scratch[1], u32(value >> 32));
  return {scratch[0].lane, scratch[1].lane};
}

/// abs and neg on the sign bits of `row`, into `scratch`.
HIPSIM_INLINE const u32 *modified(const u32 *row, const Source &s, u32 sign,
                                  Row &scratch) {
  u32 keep = s.abs ? ~sign : ~0u, flip = s.neg ? sign : 0u;
  HIPSIM_LANES scratch.lane[l] = (row[l] & keep) ^ flip;
  return scratch.lane;
}

/// A source seen as 64 values of type T, with its modifiers applied.
template <class T> struct View;

template <class T>
  requires(sizeof(T) == 4)
struct View<T> {
  const u32 *row;
  HIPSIM_INLINE View fetch(Wave &w, const Step &s, u32 i, Row *scratch) {
    const u32 *row = row32(w, s.src[i], scratch[0]);
    if constexpr (__is_same(T, float))
      if (s.src[i].neg | s.src[i].abs)
        row = modified(row, s.src[i], 0x80000000u, scratch[0]);
    return {row};
  }
  [[clang::always_inline]] T at(u32 l) const { return bits<T>(row[l]); }
};

template <class T>
  requires(sizeof(T) == 8)
struct View<T> {
  const u32 *lo, *hi;
  HIPSIM_INLINE View fetch(Wave &w, const Step &s, u32 i, Row *scratch) {
    Rows2 rows = row64(w, s.src[i], scratch);
    if constexpr (__is_same(T, double))
      if (s.src[i].neg | s.src[i].abs)
        rows.hi = modified(rows.hi, s.src[i], 0x80000000u, scratch[1]);
    return {rows.lo, rows.hi};
  }
  [[clang::always_inline]] T at(u32 l) const {
    return bits<T>(u64(lo[l]) | u64(hi[l]) << 32);
  }
};

template <class T>
  requires(sizeof(T) == 2)
struct View<T> {
  const u32 *row;
  u32 shift;
  HIPSIM_INLINE View fetch(Wave &w, const Step &s, u32 i, Row *scratch) {
    const u32 *row = row32(w, s.src[i], scratch[0]);
    if constexpr (__is_same(T, f16))
      if (s.src[i].neg | s.src[i].abs)
        row = modified(row, s.src[i], 0x80008000u, scratch[0]);
    return {row, (s.opSel >> i & 1) * 16u};
  }
  [[clang::always_inline]] T at(u32 l) const {
    return bits<T>(u16(row[l] >> shift));
  }
};

template <class T> constexpr ValueType valueType() {
  if constexpr (__is_same(T, double))
    return ValueType::F64;
  else if constexpr (__is_same(T, i64))
    return ValueType::I64;
  else if constexpr (sizeof(T) == 8)
    return ValueType::U64;
  else if constexpr (__is_same(T, f16))
    return ValueType::F16;
  else if constexpr (sizeof(T) == 2)
    return ValueType::B16;
  else
    return ValueType::B32;
}
template <class T> constexpr NumberType numberType() {
  if constexpr (__is_same(T, double))
    return NumberType::F64;
  else if constexpr (__is_same(T, float))
    return NumberType::F32;
  else if constexpr (__is_same(T, f16))
    return NumberType::F16;
  else
    return NumberType::Other;
}
template <class T>
constexpr bool isFloat =
    __is_same(T, float) || __is_same(T, double) || __is_same(T, f16);

HIPSIM_INLINE u32 blend(u32 mask, u32 on, u32 off) {
  return (on & mask) | (off & ~mask);
}
/// The float clamp: [0, 1], NaN becomes 0 (DX10_CLAMP, on by default).
template <class T> HIPSIM_INLINE T clamp01(T value) {
  T low = value > T(0) ? value : T(0);
  return low < T(1) ? low : T(1);
}

/// Writes compute(l) to the active lanes of the destination.
template <class R, class Compute>
HIPSIM_INLINE void writeLanes(Wave &w, const Step &s, Compute compute) {
  const u32 *mask = execMask(w);
  u32 *d = w.rows[s.dst].lane;
  if constexpr (sizeof(R) == 8) {
    u32 *h = w.rows[s.dst + 1].lane;
    HIPSIM_LANES {
      u64 value = bits<u64>(compute(l));
      u32 low = blend(mask[l], u32(value), d[l]);
      u32 high = blend(mask[l], u32(value >> 32), h[l]);
      d[l] = low;
      h[l] = high;
    }
  } else if constexpr (sizeof(R) == 4) {
    HIPSIM_LANES d[l] = blend(mask[l], bits<u32>(compute(l)), d[l]);
  } else if (s.opSel & 8) { // High half of the destination, low half kept.
    HIPSIM_LANES d[l] = blend(
        mask[l], (d[l] & 0xffffu) | u32(bits<u16>(compute(l))) << 16, d[l]);
  } else { // 16-bit results clear the high half on gfx9.
    HIPSIM_LANES d[l] = blend(mask[l], u32(bits<u16>(compute(l))), d[l]);
  }
}
template <class R, class Compute>
HIPSIM_INLINE void writeResult(Wave &w, const Step &s, Compute compute) {
  if constexpr (isFloat<R>) {
    if (s.outputModifiers) [[unlikely]] {
      writeLanes<R>(w, s, [&](u32 l) __attribute__((always_inline)) {
        return clamp01(compute(l));
      });
      return;
    }
  }
  writeLanes<R>(w, s, compute);
}

/// The types of a lambda's result and parameters.
template <class T> struct Signature;
template <class C, class R, class... A> struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr u32 arity = sizeof...(A);
  template <u32 I> struct Pick;
  using First = __type_pack_element<0, A..., void, void>;
  using Second = __type_pack_element<1, A..., void, void>;
  using Third = __type_pack_element<2, A..., void, void>;
};
template <auto F> using SignatureOf = Signature<decltype(&decltype(F)::operator())>;

template <auto F> void elementwise(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  using R = typename S::Result;
  Row scratch[6];
  auto a = View<typename S::First>::fetch(w, s, 0, scratch);
  if constexpr (S::arity == 1) {
    writeResult<R>(w, s,
                   [&](u32 l) __attribute__((always_inline)) { return F(a.at(l)); });
  } else {
    auto b = View<typename S::Second>::fetch(w, s, 1, scratch + 2);
    if constexpr (S::arity == 2) {
      writeResult<R>(w, s, [&](u32 l) __attribute__((always_inline)) {
        return F(a.at(l), b.at(l));
      });
    } else {
      auto c = View<typename S::Third>::fetch(w, s, 2, scratch + 4);
      writeResult<R>(w, s, [&](u32 l) __attribute__((always_inline)) {
        return F(a.at(l), b.at(l), c.at(l));
      });
    }
  }
}

/// An operation that applies F to every active lane; constants are widened to
/// the types of F's parameters.
template <auto F>
constexpr Operation lanewise(StepClass stepClass = StepClass::Vector) {
  using S = SignatureOf<F>;
  Operation operation;
  operation.handler = &elementwise<F>;
  operation.stepClass = stepClass;
  operation.type[0] = valueType<typename S::First>();
  if constexpr (S::arity > 1)
    operation.type[1] = valueType<typename S::Second>();
  if constexpr (S::arity > 2)
    operation.type[2] = valueType<typename S::Third>();
  operation.floatResult = isFloat<typename S::Result>;
  operation.result = numberType<typename S::Result>();
  operation.number[0] = numberType<typename S::First>();
  operation.number[1] = numberType<typename S::Second>();
  operation.number[2] = numberType<typename S::Third>();
  return operation;
}
/// The same, and G is what it does with the clamp bit (integer saturation).
template <auto F, auto G> constexpr Operation saturating() {
  Operation operation = lanewise<F>();
  operation.clampHandler = &elementwise<G>;
  return operation;
}
/// The same for fmac and friends, whose addend is the destination.
template <auto F> constexpr Operation accumulating() {
  Operation operation = lanewise<F>();
  operation.accumulates = true;
  return operation;
}
/// An operation with a handler of its own.
constexpr Operation custom(Handler handler,
                           StepClass stepClass = StepClass::Vector,
                           ValueType type = ValueType::B32) {
  Operation operation;
  operation.handler = handler;
  operation.stepClass = stepClass;
  for (ValueType &t : operation.type)
    t = type;
  return operation;
}

struct Entry {
  Op op;
  Operation operation;
};
template <u32 N>
static void addEntries(OperationTable &table, const Entry (&entries)[N]) {
  for (const Entry &entry : entries)
    table[entry.op] = entry.operation;
}

// One function a file of ops/.
void addScalar(OperationTable &);
void addFlow(OperationTable &);
void addScalarMemory(OperationTable &);
void addVectorInteger(OperationTable &);
void addVectorFloat(OperationTable &);
void addVectorHalf(OperationTable &);
void addVectorConvert(OperationTable &);
void addVectorCompare(OperationTable &);
void addVectorPacked(OperationTable &);
void addVectorCarry(OperationTable &);
void addLaneCrossing(OperationTable &);
void addMatrix(OperationTable &);
void addMatrixScaled(OperationTable &);
void addMatrixSparse(OperationTable &);
void addVectorRare(OperationTable &);
void addVectorScaled(OperationTable &);
void addFloatMode(OperationTable &);
void addLds(OperationTable &);
void addLdsAtomics(OperationTable &);
void addGlobal(OperationTable &);
void addGlobalAtomics(OperationTable &);
void addBuffer(OperationTable &);

} // namespace hipsim::HIPSIM_SIMD

// The functions that atomics apply: bits of the old value and of the operand
// to bits of the new one.
#pragma once

#include "runtime/hipsim/exec/ops/float_math.h"

namespace hipsim::HIPSIM_SIMD {

template <class T> struct SignedType;
template <> struct SignedType<u32> { using Type = i32; };
template <> struct SignedType<u64> { using Type = i64; };
template <class T> using SignedOf = typename SignedType<T>::Type;

struct Atomic {
  template <class T> static T swap(T, T b) { return b; }
  template <class T> static T add(T a, T b) { return a + b; }
  template <class T> static T sub(T a, T b) { return a - b; }
  template <class T> static T reverseSub(T a, T b) { return b - a; }
  template <class T> static T minSigned(T a, T b) {
    return SignedOf<T>(a) < SignedOf<T>(b) ? a : b;
  }
  template <class T> static T maxSigned(T a, T b) {
    return SignedOf<T>(a) > SignedOf<T>(b) ? a : b;
  }
  template <class T> static T minUnsigned(T a, T b) { return a < b ? a : b; }
  template <class T> static T maxUnsigned(T a, T b) { return a > b ? a : b; }
  template <class T> static T bitAnd(T a, T b) { return a & b; }
  template <class T> static T bitOr(T a, T b) { return a | b; }
  template <class T> static T bitXor(T a, T b) { return a ^ b; }
  template <class T> static T increment(T a, T b) { return a >= b ? 0 : a + 1; }
  template <class T> static T decrement(T a, T b) {
    return a == 0 || a > b ? b : a - 1;
  }
  static u32 addFloat(u32 a, u32 b) { return bits<u32>(bits<float>(a) + bits<float>(b)); }
  static u32 minFloat(u32 a, u32 b) {
    return bits<u32>(minNumber(bits<float>(a), bits<float>(b)));
  }
  static u32 maxFloat(u32 a, u32 b) {
    return bits<u32>(maxNumber(bits<float>(a), bits<float>(b)));
  }
  static u64 addDouble(u64 a, u64 b) {
    return bits<u64>(bits<double>(a) + bits<double>(b));
  }
  static u64 minDouble(u64 a, u64 b) {
    return bits<u64>(minNumber(bits<double>(a), bits<double>(b)));
  }
  static u64 maxDouble(u64 a, u64 b) {
    return bits<u64>(maxNumber(bits<double>(a), bits<double>(b)));
  }
  static u32 addHalves(u32 a, u32 b) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 16)
      result |= u32(bits<u16>(f16(float(bits<f16>(u16(a >> shift))) +
                                  float(bits<f16>(u16(b >> shift))))))
                << shift;
    return result;
  }
  static u32 addBfloats(u32 a, u32 b) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 16) {
      float sum = bits<float>(a >> shift << 16) + bits<float>(b >> shift << 16);
      u32 u = bits<u32>(sum);
      u32 rounded = isNan(sum) ? (u >> 16) | 0x40
                               : (u + 0x7fff + (u >> 16 & 1)) >> 16;
      result |= (rounded & 0xffff) << shift;
    }
    return result;
  }
};

/// {name of the instruction after the prefix, type, function} for the families
/// that share them: FLAT, GLOBAL, BUFFER.
#define HIPSIM_VECTOR_MEMORY_ATOMICS(X)                                        \
  X(SWAP, u32, &Atomic::swap<u32>) X(SWAP_X2, u64, &Atomic::swap<u64>)         \
  X(ADD, u32, &Atomic::add<u32>) X(ADD_X2, u64, &Atomic::add<u64>)             \
  X(SUB, u32, &Atomic::sub<u32>) X(SUB_X2, u64, &Atomic::sub<u64>)             \
  X(SMIN, u32, &Atomic::minSigned<u32>)                                        \
  X(SMIN_X2, u64, &Atomic::minSigned<u64>)                                     \
  X(UMIN, u32, &Atomic::minUnsigned<u32>)                                      \
  X(UMIN_X2, u64, &Atomic::minUnsigned<u64>)                                   \
  X(SMAX, u32, &Atomic::maxSigned<u32>)                                        \
  X(SMAX_X2, u64, &Atomic::maxSigned<u64>)                                     \
  X(UMAX, u32, &Atomic::maxUnsigned<u32>)                                      \
  X(UMAX_X2, u64, &Atomic::maxUnsigned<u64>)                                   \
  X(AND, u32, &Atomic::bitAnd<u32>) X(AND_X2, u64, &Atomic::bitAnd<u64>)       \
  X(OR, u32, &Atomic::bitOr<u32>) X(OR_X2, u64, &Atomic::bitOr<u64>)           \
  X(XOR, u32, &Atomic::bitXor<u32>) X(XOR_X2, u64, &Atomic::bitXor<u64>)       \
  X(INC, u32, &Atomic::increment<u32>) X(INC_X2, u64, &Atomic::increment<u64>) \
  X(DEC, u32, &Atomic::decrement<u32>) X(DEC_X2, u64, &Atomic::decrement<u64>) \
  X(ADD_F32, u32, &Atomic::addFloat) X(ADD_F64, u64, &Atomic::addDouble)       \
  X(MIN_F64, u64, &Atomic::minDouble) X(MAX_F64, u64, &Atomic::maxDouble)      \
  X(PK_ADD_F16, u32, &Atomic::addHalves)                                       \
  X(PK_ADD_BF16, u32, &Atomic::addBfloats)

/// {suffix, Transfer} of the loads and stores that the families share.
#define HIPSIM_LOADS(X)                                                        \
  X(UBYTE, (Transfer{1})) X(SBYTE, (Transfer{1, true}))                        \
  X(USHORT, (Transfer{2})) X(SSHORT, (Transfer{2, true}))                      \
  X(DWORD, (Transfer{4})) X(DWORDX2, (Transfer{8}))                            \
  X(DWORDX3, (Transfer{12})) X(DWORDX4, (Transfer{16}))                        \
  X(UBYTE_D16, (Transfer{1, false, 1})) X(SBYTE_D16, (Transfer{1, true, 1}))   \
  X(SHORT_D16, (Transfer{2, false, 1}))                                        \
  X(UBYTE_D16_HI, (Transfer{1, false, 2}))                                     \
  X(SBYTE_D16_HI, (Transfer{1, true, 2}))                                      \
  X(SHORT_D16_HI, (Transfer{2, false, 2}))
#define HIPSIM_STORES(X)                                                       \
  X(BYTE, (Transfer{1})) X(SHORT, (Transfer{2})) X(DWORD, (Transfer{4}))       \
  X(DWORDX2, (Transfer{8})) X(DWORDX3, (Transfer{12}))                         \
  X(DWORDX4, (Transfer{16})) X(BYTE_D16_HI, (Transfer{1, false, 2}))           \
  X(SHORT_D16_HI, (Transfer{2, false, 2}))

} // namespace hipsim::HIPSIM_SIMD

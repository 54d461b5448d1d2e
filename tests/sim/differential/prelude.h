// What generated kernels are written with: the same source is compiled for the
// host and for the device.
//
// A kernel is a sequence of phases over the state of a work item. On the device
// the state is in registers and a phase is a call; on the host it is an array
// and a phase is a loop over the work items, so that operations across lanes,
// which stand between phases, can look at all of them (grid_host.h).
// Everything here is defined for every input: shifts are masked, divisions and
// conversions guarded, and NaNs made canonical where their bits could be seen.
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef _Float16 f16;
typedef __bf16 bf16;
typedef float f32;
typedef double f64;
#define FN static inline __attribute__((always_inline, unused))
#define NOINLINE static __attribute__((noinline))

#ifdef __AMDGCN__
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#else
#define G
#define L
#endif

#define VECTOR(T, N) typedef T T##x##N __attribute__((ext_vector_type(N)));
VECTOR(i8, 4) VECTOR(u8, 4) VECTOR(i16, 2) VECTOR(u16, 2) VECTOR(i16, 4)
VECTOR(u16, 4) VECTOR(i32, 2) VECTOR(u32, 2) VECTOR(i32, 4) VECTOR(u32, 4)
VECTOR(i64, 2) VECTOR(u64, 2) VECTOR(f16, 2) VECTOR(f16, 4) VECTOR(f32, 2)
VECTOR(f32, 4) VECTOR(f64, 2)

// Memory at any byte, and at multiples of the type's size. Not as unaligned:
// LDS, where hardware may be told to fault.
#define MEMORY(T)                                                              \
  typedef T T##_anywhere __attribute__((aligned(1)));                          \
  FN T load_##T(G const u8 *p, u32 i, u32 bytes) {                             \
    return *(G const T *)(p + (i & (bytes / sizeof(T) - 1)) * sizeof(T));      \
  }                                                                            \
  FN T loadu_##T(G const u8 *p, u32 i, u32 bytes) {                            \
    return *(G const T##_anywhere *)(p + (i & (bytes / 2 - 1)));               \
  }                                                                            \
  FN T loadf_##T(G const u8 *p, u32 i, u32 bytes) { /* flat */                 \
    return *(const T *)(const void *)(p + (i & (bytes / sizeof(T) - 1)) * sizeof(T)); \
  }                                                                            \
  FN void store_##T(G u8 *p, u32 i, u32 bytes, T v) {                          \
    *(G T *)(p + (i & (bytes / sizeof(T) - 1)) * sizeof(T)) = v;               \
  }                                                                            \
  FN void storeu_##T(G u8 *p, u32 i, u32 bytes, T v) {                         \
    *(G T##_anywhere *)(p + (i & (bytes / 2 - 1))) = v;                        \
  }                                                                            \
  FN T loadl_##T(L const u8 *p, u32 i, u32 bytes) {                            \
    return *(L const T *)(p + (i & (bytes / sizeof(T) - 1)) * sizeof(T));      \
  }                                                                            \
  FN void storel_##T(L u8 *p, u32 i, u32 bytes, T v) {                         \
    *(L T *)(p + (i & (bytes / sizeof(T) - 1)) * sizeof(T)) = v;               \
  }
MEMORY(i8) MEMORY(u8) MEMORY(i16) MEMORY(u16) MEMORY(i32) MEMORY(u32)
MEMORY(i64) MEMORY(u64) MEMORY(i8x4) MEMORY(u8x4) MEMORY(i16x2) MEMORY(u16x2)
MEMORY(i16x4) MEMORY(u16x4) MEMORY(i32x2) MEMORY(u32x2) MEMORY(i32x4)
MEMORY(u32x4) MEMORY(i64x2) MEMORY(u64x2)

#define INTEGER(T, U, BITS, LEAST)                                             \
  FN T div_##T(T a, T b) {                                                     \
    return b == 0 || (LEAST != 0 && a == (T)LEAST && b == (T)-1) ? a : (T)(a / b); \
  }                                                                            \
  FN T rem_##T(T a, T b) {                                                     \
    return b == 0 || (LEAST != 0 && a == (T)LEAST && b == (T)-1) ? a : (T)(a % b); \
  }                                                                            \
  FN T shl_##T(T a, u32 n) { return (T)((U)a << (n & (BITS - 1))); }           \
  FN T shr_##T(T a, u32 n) { return (T)(a >> (n & (BITS - 1))); }              \
  FN T rot_##T(T a, u32 n) {                                                   \
    return (T)((U)((U)a << (n & (BITS - 1))) | (U)((U)a >> (-n & (BITS - 1)))); \
  }                                                                            \
  FN T min_##T(T a, T b) { return a < b ? a : b; }                             \
  FN T max_##T(T a, T b) { return a > b ? a : b; }                             \
  FN T adds_##T(T a, T b) { return __builtin_elementwise_add_sat(a, b); }      \
  FN T subs_##T(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }      \
  FN T rev_##T(T a) { return (T)__builtin_elementwise_bitreverse((U)a); }      \
  FN T pop_##T(T a) { return (T)__builtin_popcountll((U)a); }                  \
  FN T clz_##T(T a) {                                                          \
    return a ? (T)(__builtin_clzll((U)a) - (64 - BITS)) : (T)BITS;             \
  }                                                                            \
  FN T ctz_##T(T a) { return a ? (T)__builtin_ctzll((U)a) : (T)BITS; }         \
  FN T carry_##T(T a, T b) {                                                   \
    T r;                                                                       \
    return __builtin_add_overflow(a, b, &r) ? (T)(r ^ 1) : r;                  \
  }
INTEGER(i8, u8, 8, -128) INTEGER(u8, u8, 8, 0)
INTEGER(i16, u16, 16, -32768) INTEGER(u16, u16, 16, 0)
INTEGER(i32, u32, 32, (-2147483647 - 1)) INTEGER(u32, u32, 32, 0)
INTEGER(i64, u64, 64, (-9223372036854775807ll - 1)) INTEGER(u64, u64, 64, 0)
FN u32 mulhi_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
FN i32 mulhi_i32(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }
FN u64 mulhi_u64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
FN i64 mulhi_i64(i64 a, i64 b) { return (i64)((__int128)a * b >> 64); }

#define FLOAT(T, U, QUIET)                                                     \
  FN T canon_##T(T x) { return x != x ? __builtin_bit_cast(T, (U)QUIET) : x; } \
  FN U bits_##T(T x) { return x != x ? (U)QUIET : __builtin_bit_cast(U, x); }  \
  FN T from_##T(U x) { return canon_##T(__builtin_bit_cast(T, x)); }           \
  FN T sel_##T(int c, T a, T b) { return c ? a : b; }                          \
  FN T lt_##T(T a, T b) { return a < b ? a : b; }                              \
  FN T gt_##T(T a, T b) { return a > b ? a : b; }
FLOAT(f16, u16, 0x7e00) FLOAT(bf16, u16, 0x7fc0) FLOAT(f32, u32, 0x7fc00000)
FLOAT(f64, u64, 0x7ff8000000000000ull)

// The sign of a zero that fmin and fmax return is not defined: + 0 removes it.
#define FLOAT_MATH(T, S)                                                       \
  FN T sqrt_##T(T x) { return __builtin_sqrt##S(x); }                          \
  FN T fabs_##T(T x) { return __builtin_fabs##S(x); }                          \
  FN T floor_##T(T x) { return __builtin_floor##S(x); }                        \
  FN T ceil_##T(T x) { return __builtin_ceil##S(x); }                          \
  FN T trunc_##T(T x) { return __builtin_trunc##S(x); }                        \
  FN T rint_##T(T x) { return __builtin_rint##S(x); }                          \
  FN T sign_##T(T x, T y) { return __builtin_copysign##S(x, canon_##T(y)); }   \
  FN T fmin_##T(T x, T y) { return __builtin_fmin##S(x, y) + (T)0; }           \
  FN T fmax_##T(T x, T y) { return __builtin_fmax##S(x, y) + (T)0; }
FLOAT_MATH(f16, f16) FLOAT_MATH(f32, f) FLOAT_MATH(f64, )
FN f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
#ifdef __AMDGCN__
FN f16 fma_f16(f16 a, f16 b, f16 c) { return __builtin_fmaf16(a, b, c); }
#else
/* Exact in 113 bits, then rounded once. */
FN f16 fma_f16(f16 a, f16 b, f16 c) { return (f16)((__float128)a * b + c); }
#endif
FN f64 fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
FN f32 ldexp_f32(f32 a, i32 n) { return __builtin_ldexpf(a, n % 300); }
FN f64 ldexp_f64(f64 a, i32 n) { return __builtin_ldexp(a, n % 2200); }
FN f32 round_f32(f32 a) { return __builtin_roundf(a); }
FN f64 round_f64(f64 a) { return __builtin_round(a); }

// Conversions to integers, where the value fits. Compared in double.
#define TO_INTEGER(F, T, LOW, HIGH)                                            \
  FN T F##_to_##T(F x) {                                                       \
    return (f64)x > LOW && (f64)x < HIGH ? (T)x : (T)85;                       \
  }
#define TO_INTEGERS(F)                                                         \
  TO_INTEGER(F, i8, -129.0, 128.0) TO_INTEGER(F, u8, -1.0, 256.0)              \
  TO_INTEGER(F, i16, -32769.0, 32768.0) TO_INTEGER(F, u16, -1.0, 65536.0)      \
  TO_INTEGER(F, i32, -2147483648.5, 2147483648.0)                              \
  TO_INTEGER(F, u32, -1.0, 4294967296.0)                                       \
  TO_INTEGER(F, i64, -9223372036854775808.0, 9223372036854775808.0)            \
  TO_INTEGER(F, u64, -1.0, 18446744073709551616.0)
TO_INTEGERS(f16) TO_INTEGERS(f32) TO_INTEGERS(f64)

// Machine operations by builtin, and what they are.
#ifdef __AMDGCN__
FN u32 x_perm(u32 a, u32 b, u32 c) { return __builtin_amdgcn_perm(a, b, c & 0x0f0f0f0fu); }
FN u32 x_alignbit(u32 a, u32 b, u32 c) { return __builtin_amdgcn_alignbit(a, b, c); }
FN u32 x_alignbyte(u32 a, u32 b, u32 c) { return __builtin_amdgcn_alignbyte(a, b, c); }
FN u32 x_sad(u32 a, u32 b, u32 c) { return __builtin_amdgcn_sad_u8(a, b, c); }
FN u32 x_ubfe(u32 a, u32 b, u32 c) { return __builtin_amdgcn_ubfe(a, b & 31, c & 31); }
FN u32 x_sbfe(u32 a, u32 b, u32 c) { return (u32)__builtin_amdgcn_sbfe((i32)a, b & 31, c & 31); }
FN u32 x_udot(u32 a, u32 b, u32 c) { return __builtin_amdgcn_udot4(a, b, c, 0); }
FN u32 x_sdot(u32 a, u32 b, u32 c) { return (u32)__builtin_amdgcn_sdot4((i32)a, (i32)b, (i32)c, 0); }
FN u32 x_mbcnt(u32 a, u32 b, u32 lane) { return __builtin_amdgcn_mbcnt_hi(a, __builtin_amdgcn_mbcnt_lo(b, 7)); }
#else
FN u32 x_perm(u32 a, u32 b, u32 c) {
  u64 bytes = (u64)a << 32 | b;
  u32 r = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 s = c >> 8 * i & 15, v;
    if (s < 8)
      v = (u32)(bytes >> 8 * s) & 255;
    else if (s < 12) /* The sign of the bytes 1, 3, 5, 7. */
      v = bytes >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
    else
      v = s == 12 ? 0 : 255;
    r |= v << 8 * i;
  }
  return r;
}
FN u32 x_alignbit(u32 a, u32 b, u32 c) { return (u32)(((u64)a << 32 | b) >> (c & 31)); }
FN u32 x_alignbyte(u32 a, u32 b, u32 c) { return (u32)(((u64)a << 32 | b) >> 8 * (c & 3)); }
FN u32 x_sad(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i) {
    i32 d = (i32)(a >> 8 * i & 255) - (i32)(b >> 8 * i & 255);
    c += (u32)(d < 0 ? -d : d);
  }
  return c;
}
FN u32 x_ubfe(u32 a, u32 b, u32 c) {
  b &= 31, c &= 31;
  return c ? a >> b & ((1u << c) - 1) : 0;
}
FN u32 x_sbfe(u32 a, u32 b, u32 c) {
  b &= 31, c &= 31;
  if (!c)
    return 0;
  /* A field that reaches over the top takes the sign of what is there. */
  return b + c < 32 ? (u32)((i32)(a << (32 - b - c)) >> (32 - c)) : (u32)((i32)a >> b);
}
FN u32 x_udot(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i)
    c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
FN u32 x_sdot(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i)
    c += (u32)((i32)(i8)(a >> 8 * i) * (i32)(i8)(b >> 8 * i));
  return c;
}
FN u32 x_mbcnt(u32 a, u32 b, u32 lane) {
  u64 below = ((u64)a << 32 | b) & ((1ull << lane) - 1);
  return 7 + (u32)__builtin_popcountll(below);
}
#endif

/// Mixes a value into a checksum.
FN u32 mix(u32 sum, u32 v) { return (sum ^ v ^ sum >> 15) * 0x2c1b3c6du + 0x9e3779b9u; }

// Results of approximate functions, compared within 2 units in the last place.
// Arguments are brought into a range where the results are normal numbers.
FN f32 clampf(f32 x, f32 low, f32 high) { return x >= low ? (x <= high ? x : high) : low; }
#ifdef __AMDGCN__
FN void approximate(G f32 *out, f32 v) {
  f32 x = clampf(v, -80.0f, 80.0f), y = clampf(v < 0 ? -v : v, 1e-30f, 1e30f);
  out[0] = __builtin_exp2f(x), out[1] = __builtin_expf(x);
  out[2] = __builtin_log2f(y), out[3] = __builtin_logf(y);
  out[4] = __builtin_amdgcn_rcpf(y), out[5] = __builtin_amdgcn_rsqf(y);
  out[6] = __builtin_amdgcn_sqrtf(y), out[7] = __builtin_log10f(y);
}
#else
FN void approximate(G f32 *out, f32 v) {
  f32 x = clampf(v, -80.0f, 80.0f), y = clampf(v < 0 ? -v : v, 1e-30f, 1e30f);
  out[0] = (f32)__builtin_exp2(x), out[1] = (f32)__builtin_exp(x);
  out[2] = (f32)__builtin_log2(y), out[3] = (f32)__builtin_log(y);
  out[4] = (f32)(1.0 / y), out[5] = (f32)(1.0 / __builtin_sqrt(y));
  out[6] = (f32)__builtin_sqrt(y), out[7] = (f32)__builtin_log10(y);
}
#endif

// Sizes that the harness shares with generated kernels (layout.h).
#include "layout.h"

#ifdef __AMDGCN__
#include "grid_device.h"
#else
#include "grid_host.h"
#endif

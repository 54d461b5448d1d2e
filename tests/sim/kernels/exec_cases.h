// Functions that the host and the simulated device both compile: the device's
// results must equal the host's bit for bit. Built with -ffp-contract=off.
// Every operation writes one output, so that a wrong one is named by its index.
#ifndef EXEC_CASES_H
#define EXEC_CASES_H

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short u16;
typedef short i16;

#ifndef OUT
#define OUT // Address space of outputs.
#endif

#define INTEGER_OUTPUTS 64
static inline void integerCase(u32 a, u32 b, u32 c, OUT u32 *out) {
  i32 sa = (i32)a, sb = (i32)b, sc = (i32)c;
  u64 w = (u64)a << 32 | b, v = (u64)c << 32 | a;
  int n = 0;
  out[n++] = a + b;
  out[n++] = a - b;
  out[n++] = a * b + c;
  out[n++] = (u32)((u64)a * b >> 32);
  out[n++] = (u32)((i64)sa * sb >> 32);
  out[n++] = b ? a / b : 7;
  out[n++] = b ? a % b : 7;
  out[n++] = b && !(sa == (i32)0x80000000 && sb == -1) ? (u32)(sa / sb) : 7;
  out[n++] = b && !(sa == (i32)0x80000000 && sb == -1) ? (u32)(sa % sb) : 7;
  out[n++] = a << (b & 31);
  out[n++] = a >> (b & 31);
  out[n++] = (u32)(sa >> (b & 31));
  out[n++] = (a & b) | c;
  out[n++] = a | b | c;
  out[n++] = (a ^ b) + c;
  out[n++] = (a & b) | (~a & c);
  out[n++] = ~(a ^ b);
  out[n++] = (a + b) << (c & 31);
  out[n++] = (a << (b & 31)) + c;
  out[n++] = a >> 5 & 0x7ff;
  out[n++] = (u32)((i32)(a << 7) >> 20);
  out[n++] = sa < sb ? (u32)sa : (u32)sb;
  out[n++] = sa > sb ? (u32)sa : (u32)sb;
  out[n++] = a < b ? a : b;
  out[n++] = a > b ? a : b;
  out[n++] = a > b ? (a > c ? a : c) : (b > c ? b : c);
  out[n++] = a ? (u32)__builtin_clz(a) : 32;
  out[n++] = a ? (u32)__builtin_ctz(a) : 32;
  out[n++] = (u32)__builtin_popcount(a) + b;
  out[n++] = __builtin_bitreverse32(a);
  out[n++] = __builtin_bswap32(a);
  out[n++] = a << 13 | a >> 19;
  out[n++] = (u32)((w) >> (c & 31));
  out[n++] = (u32)((a & 0xffffff) * (b & 0xffffff));
  out[n++] = (u32)(i32)(signed char)a + (u32)(i32)(i16)b + (u32)(unsigned char)c;
  out[n++] = (u16)((u16)a * (u16)b + (u16)c);
  out[n++] = (u32)(i32)(i16)((i16)a >> (b & 15));
  out[n++] = (u32)(sa < 0 ? -sa : sa);
  u64 sum = w + v, diff = w - v, product = w * v;
  out[n++] = (u32)sum, out[n++] = (u32)(sum >> 32);
  out[n++] = (u32)diff, out[n++] = (u32)(diff >> 32);
  out[n++] = (u32)product, out[n++] = (u32)(product >> 32);
  out[n++] = (u32)((w << (c & 63)) >> 16);
  out[n++] = (u32)((w >> (c & 63)));
  out[n++] = (u32)((i64)w >> (c & 63));
  out[n++] = w < v, out[n++] = (i64)w < (i64)v, out[n++] = w == v;
  out[n++] = (u32)__builtin_popcountll(w);
  out[n++] = w ? (u32)__builtin_clzll(w) : 64;
  out[n++] = v ? (u32)(w / v) : 7;
  out[n++] = v ? (u32)(w % v >> 32) : 7;
  u32 carry = (u32)(a + b < a);
  out[n++] = c + carry;
  u32 r;
  out[n++] = __builtin_add_overflow(sa, sb, (i32 *)&r) ? 1 : r;
  out[n++] = a + b < a ? ~0u : a + b;
  out[n++] = a < b ? 0 : a - b;
  out[n++] = (u32)((a >> 24) + (b >> 16 & 255) + (c & 255));
  out[n++] = (u32)(sc == sa) + (u32)(sb != sc) * 2 + (u32)(sa <= sb) * 4;
  while (n < INTEGER_OUTPUTS)
    out[n++] = 0;
}

#define FLOAT_OUTPUTS 64
static inline u32 bitsOf(float a) { return __builtin_bit_cast(u32, a); }
/// NaN payloads are not compared.
static inline u32 canonical(float a) { return a != a ? 0x7fc00000u : bitsOf(a); }
static inline u64 canonical64(double a) {
  return a != a ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, a);
}
static inline u32 canonical16(_Float16 a) {
  return a != a ? 0x7e00u : __builtin_bit_cast(u16, a);
}
static inline void floatCase(u32 x, u32 y, u32 z, OUT u32 *out) {
  float a = __builtin_bit_cast(float, x), b = __builtin_bit_cast(float, y),
        c = __builtin_bit_cast(float, z);
  double da = __builtin_bit_cast(double, (u64)x << 32 | y),
         db = __builtin_bit_cast(double, (u64)y << 32 | z), dc = c;
  _Float16 ha = __builtin_bit_cast(_Float16, (u16)x),
           hb = __builtin_bit_cast(_Float16, (u16)y),
           hc = __builtin_bit_cast(_Float16, (u16)z);
  int n = 0;
  u64 w;
  out[n++] = canonical(a + b);
  out[n++] = canonical(a - b);
  out[n++] = canonical(a * b);
  out[n++] = canonical(__builtin_fmaf(a, b, c));
  out[n++] = canonical(-a * 0.5f + __builtin_fabsf(b));
  out[n++] = canonical(a / b);
  out[n++] = canonical(__builtin_sqrtf(a));
  out[n++] = canonical(__builtin_floorf(a));
  out[n++] = canonical(__builtin_ceilf(a));
  out[n++] = canonical(__builtin_truncf(a));
  out[n++] = canonical(__builtin_rintf(a));
  out[n++] = a > b, out[n++] = a < b, out[n++] = a == b, out[n++] = a != b;
  out[n++] = a >= b, out[n++] = a <= b, out[n++] = __builtin_isunordered(a, b);
  out[n++] = a != a ? 1u : a > 2e9f ? 2u : a < -2e9f ? 3u : (u32)(i32)a;
  out[n++] = b == b && b >= 0 && b < 4e9f ? (u32)b : 5u;
  out[n++] = bitsOf((float)(i32)x);
  out[n++] = bitsOf((float)y);
  out[n++] = bitsOf((float)(x >> 8 & 255));
  out[n++] = bitsOf((float)((u64)x << 32 | y));
  out[n++] = canonical(__builtin_copysignf(a, b));
  w = canonical64(da + db), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64(da * db), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64(__builtin_fma(da, db, dc)), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64(da / db), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64(__builtin_sqrt(da)), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64(__builtin_floor(dc * 3.25)), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  w = canonical64((double)(i32)x * 0.125 + (double)y), out[n++] = (u32)w, out[n++] = (u32)(w >> 32);
  out[n++] = canonical((float)da);
  out[n++] = da < db, out[n++] = da == db;
  out[n++] = canonical16(ha + hb);
  out[n++] = canonical16(ha * hb);
  out[n++] = canonical16(ha - hc);
  out[n++] = canonical16((_Float16)a);
  out[n++] = canonical((float)hb);
  out[n++] = ha < hb, out[n++] = ha == hc;
  // Round to nearest even to bf16, as our kernels do it on gfx942.
  out[n++] = a != a ? 0 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
  while (n < FLOAT_OUTPUTS)
    out[n++] = 0;
}

#define CONTROL_OUTPUTS 8
static inline u32 mixOf(u32 a) { return (a ^ a >> 15) * 0x2c1b3c6du; }
static inline void controlCase(u32 a, u32 b, u32 c, OUT u32 *out) {
  u32 table[16]; // Indexed by data: private memory.
  for (u32 i = 0; i < 16; ++i)
    table[i] = mixOf(a + i);
  u32 steps = 0, n = a & 0xffff;
  while (n > 1 && steps < 300) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  out[0] = steps;
  u32 acc = c;
  for (u32 i = 0; i < (b & 31); ++i) {
    if ((acc >> (i & 7) & 1) == 0)
      continue;
    for (u32 j = i; j < 20; ++j) {
      acc = acc * 5 + table[(acc ^ j) & 15];
      if (acc % 11 == 3)
        break;
    }
    table[acc & 15] ^= acc;
  }
  out[1] = acc;
  switch (a % 6) {
  case 0: acc += b; break;
  case 1: acc ^= b << 3; // Falls through.
  case 2: acc -= c; break;
  case 3: acc = table[b & 15]; break;
  default: acc = ~acc;
  }
  out[2] = acc;
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i)
    sum = sum * 31 + table[i];
  out[3] = sum;
  out[4] = (a & 1) && (b & 2) ? c : (a & 4) || (b & 8) ? a : b;
  out[5] = a & 3 ? (b & 3 ? (c & 3 ? 1 : 2) : 3) : 4;
  out[6] = out[7] = 0;
}

#endif

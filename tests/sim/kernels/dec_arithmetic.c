// Integer, floating-point and conversion code for the decoder's differential
// test: only its instructions matter, not what it computes.
typedef unsigned long long u64;
typedef unsigned u32;
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef short short2v __attribute__((ext_vector_type(2)));
typedef float float2v __attribute__((ext_vector_type(2)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))

KERNEL integers(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  u32 a = in[i], b = in[i + 64], c = in[i + 128];
  u32 r = (a + b) * c + (a << (b & 31)) + (a >> 3) - (b ^ c) + ((a & b) | ~c);
  r += (u32)((int)a >> (c & 31)) + __builtin_popcount(a) + __builtin_clz(b | 1) + __builtin_ctz(c | 1);
  r += a / (b | 1) + (u32)((int)b % (int)(c | 1)) + __builtin_bitreverse32(a) + __builtin_bswap32(b);
  r += a > b ? c : a + 0x12345678u;
  r += (u32)(((u64)a * b) >> 32) + ((int)a < (int)b ? 7 : 99) + __builtin_amdgcn_perm(a, b, c);
  r += __builtin_amdgcn_alignbit(a, b, c) + __builtin_amdgcn_ubfe(a, 5, 9) + __builtin_amdgcn_sbfe(b, 3, 4);
  r += (a > b ? a : b) + ((int)b < (int)c ? b : c) + (a & 0xffffff) * (b & 0xffffff);
  out[i] = r + n;
}

KERNEL wide(GLOBAL u64 *out, GLOBAL const u64 *in, u64 n) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  u64 a = in[i], b = in[i + 64];
  u64 r = a * b + (a << (b & 63)) + (a >> 7) - (u64)((long long)b >> (a & 63));
  r += a > b ? a ^ n : b | n;
  r += (long long)a < (long long)b;
  r += (u64)(u32)a * (u32)b + 0x123456789abcull;
  r += a / (b | 1);
  out[i] = r;
}

KERNEL scalars(GLOBAL u64 *out, u32 a, u32 b, u64 c, u64 d, int e, int f) {
  u64 r = (c + d) * 3 + (c << (b & 63)) + (c & ~d) + (a * b) + (u64)(e >> (f & 31));
  r += (u32)__builtin_popcountll(c) + (a > b ? c : d) + (e < f ? e : f) + (u32)__builtin_clzll(d | 1);
  r += ((u64)a * b) >> 32;
  r += (a & 0xffff) << 16 | (b & 0xffff);
  if (a == 17) r ^= 0x80000000ull;
  switch (b) { case 1: r += a; break; case 2: r *= d; break; case 9: r -= c; break; default: r = ~r; }
  out[0] = r;
}

KERNEL floats(GLOBAL float *out, GLOBAL const float *in, float s) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  float a = in[i], b = in[i + 64], c = in[i + 128];
  float r = a * b + c - a / b + __builtin_fmaf(a, -b, __builtin_fabsf(c));
  r += __builtin_sqrtf(a) + __builtin_floorf(b) + __builtin_rintf(c) + __builtin_ceilf(a) + __builtin_truncf(b);
  r += __builtin_amdgcn_exp2f(a) + __builtin_amdgcn_logf(b) + __builtin_amdgcn_rcpf(c) + __builtin_amdgcn_rsqf(a);
  r += __builtin_amdgcn_fmed3f(a, b, c) + __builtin_fmaxf(a, b) + __builtin_fminf(b, c) + __builtin_ldexpf(a, (int)i);
  r += (float)(int)a + (float)(u32)b + (float)(unsigned char)(i >> 8) + (float)(u64)b;
  r += a < b ? 0.5f : c >= s ? -2.0f : 3.25f;
  r += (a != a) ? s : 0.15915494f * b;
  r += __builtin_amdgcn_fractf(a) + __builtin_amdgcn_sinf(b) + __builtin_amdgcn_cosf(b);
  r += __builtin_amdgcn_frexp_mantf(a) + (float)__builtin_amdgcn_frexp_expf(b);
  r += __builtin_amdgcn_classf(a, 3) ? 1.0f : 4.0f;
  out[i] = -r;
}

KERNEL doubles(GLOBAL double *out, GLOBAL const double *in, double s) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  double a = in[i], b = in[i + 64];
  double r = a * b + s - a / b + __builtin_fma(a, -b, __builtin_fabs(s)) + __builtin_sqrt(a) + __builtin_floor(b);
  r += __builtin_fmax(a, b) + (double)(int)a + (double)(u32)b + (double)(float)a + (a < b ? 1.0 : 100.25);
  r += __builtin_ldexp(a, (int)i) + 0.5;
  out[i] = r;
}

KERNEL halves(GLOBAL half2 *out, GLOBAL const half2 *in, GLOBAL _Float16 *single, GLOBAL __bf16 *brain) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  half2 a = in[i], b = in[i + 64], c = in[i + 128];
  out[i] = a * b + c - a;
  _Float16 x = single[i], y = single[i + 64];
  single[i] = x * y + (_Float16)1.0 + (x < y ? x : (_Float16)(float)y) + __builtin_sqrtf16(x);
  brain[i] = (__bf16)((float)brain[i + 64] * 3.0f + (float)x);
}

KERNEL shorts(GLOBAL short2v *out, GLOBAL const short2v *in, GLOBAL short *single, GLOBAL unsigned char *bytes) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  short2v a = in[i], b = in[i + 64];
  out[i] = a * b + (a << 3) - b;
  short x = single[i], y = single[i + 64];
  single[i] = (short)(x * y + (x >> 2) + (x > y ? x : y));
  bytes[i] = (unsigned char)(bytes[i + 1] + bytes[i + 2] * bytes[i + 3]);
}

KERNEL pairs(GLOBAL float2v *out, GLOBAL const float2v *in, float2v s) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  float2v a = in[i], b = in[i + 64];
  out[i] = a * b + s * (float2v){2.0f, 3.0f} + __builtin_elementwise_fma(a, b, s);
}

KERNEL bytes(GLOBAL u32 *out, GLOBAL const float *in, GLOBAL const u32 *packed) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  u32 r = (u32)__builtin_amdgcn_cvt_pk_fp8_f32(in[i], in[i + 64], 0, 0);
  r = (u32)__builtin_amdgcn_cvt_pk_fp8_f32(in[i + 1], in[i + 65], (int)r, 1);
  r += (u32)__builtin_amdgcn_cvt_pk_bf8_f32(in[i + 2], in[i + 66], 0, 1);
  float f = __builtin_amdgcn_cvt_f32_fp8((int)packed[i], 0) + __builtin_amdgcn_cvt_f32_fp8((int)packed[i], 3) +
            __builtin_amdgcn_cvt_f32_bf8((int)packed[i], 2);
  float2v p = __builtin_amdgcn_cvt_pk_f32_fp8((int)packed[i], 1);
  out[i] = r + (u32)f + (u32)(p.x + p.y) + (u32)__builtin_amdgcn_sdot4((int)packed[i], (int)packed[i + 1], 5, 0) +
           __builtin_amdgcn_udot4(packed[i], packed[i + 2], 5, 0);
}

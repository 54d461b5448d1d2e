// gfx950: conversions between wide and small floats, one lane a value.
typedef unsigned int u32;
typedef short i16x2 __attribute__((ext_vector_type(2)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x32 __attribute__((ext_vector_type(32)));
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x32 __attribute__((ext_vector_type(32)));
typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));
typedef __bf16 bf16x32 __attribute__((ext_vector_type(32)));
typedef u32 u32x6 __attribute__((ext_vector_type(6)));
#define G __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel)) void
#define INDEX (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define U(x) __builtin_bit_cast(u32, x)
/// Element i of a pair as bits; elementBits(pair, 1) would read the first element.
static inline u32 elementBits(f32x2 pair, int i) {
  float x = pair[i];
  return U(x);
}

/// Code i of fp8, bf8 and fp4 (in byte 2), times the scale; then f16 and bf16.
KERNEL decode_codes(G u32 *out, float scale) {
  u32 i = INDEX, code = i << 16 | 0x01000000;
  G u32 *o = out + i * 8;
  o[0] = U(__builtin_amdgcn_cvt_scalef32_f32_fp8((int)code, scale, 2));
  o[1] = U(__builtin_amdgcn_cvt_scalef32_f32_bf8((int)code, scale, 2));
  f32x2 pair = __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(code, scale, 2);
  o[2] = elementBits(pair, 0);
  o[3] = elementBits(pair, 1);
  f32x2 eight = __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(code, scale, 1);
  o[4] = elementBits(eight, 0);
  o[5] = U(__builtin_amdgcn_cvt_scalef32_pk_f16_fp8(code, scale, 1));
  o[6] = U(__builtin_amdgcn_cvt_scalef32_pk_bf16_bf8(code, scale, 1));
  f16x2 old = {1, 2};
  o[7] = U(__builtin_amdgcn_cvt_scalef32_f16_fp8(old, (int)code, scale, 2, 1));
}
/// 32 fp6 and bf6 codes a lane.
KERNEL decode_six(G const u32x6 *in, G f32x32 *fp6, G f32x32 *bf6, G f16x32 *half, G bf16x32 *brain, float scale) {
  u32 i = INDEX;
  fp6[i] = __builtin_amdgcn_cvt_scalef32_pk32_f32_fp6(in[i], scale);
  bf6[i] = __builtin_amdgcn_cvt_scalef32_pk32_f32_bf6(in[i], scale);
  half[i] = __builtin_amdgcn_cvt_scalef32_pk32_f16_fp6(in[i], scale);
  brain[i] = __builtin_amdgcn_cvt_scalef32_pk32_bf16_bf6(in[i], scale);
}
/// in / scale to every format; the neighbours' bits are kept.
KERNEL encode(G const float *in, G u32 *out, float scale) {
  u32 i = INDEX;
  float x = in[i], y = in[i ^ 1];
  G u32 *o = out + i * 8;
  i16x2 old = {0x1234, 0x5678};
  o[0] = U(__builtin_amdgcn_cvt_scalef32_pk_fp8_f32(old, x, y, scale, 1));
  o[1] = U(__builtin_amdgcn_cvt_scalef32_pk_bf8_f32(old, x, y, scale, 0));
  o[2] = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(0x12345678, x, y, scale, 2);
  f16x2 h = {(_Float16)x, (_Float16)y};
  bf16x2 b = {(__bf16)x, (__bf16)y};
  o[3] = U(__builtin_amdgcn_cvt_scalef32_pk_fp8_f16(old, h, scale, 0));
  o[4] = U(__builtin_amdgcn_cvt_scalef32_pk_bf8_bf16(old, b, scale, 1));
  o[5] = __builtin_amdgcn_cvt_scalef32_pk_fp4_f16(0x12345678, h, scale, 3);
  o[6] = (u32)__builtin_amdgcn_cvt_pk_fp8_f32(x, y, 0x1234abcd, 1);
  o[7] = (u32)__builtin_amdgcn_cvt_pk_bf8_f32(x, y, 0x1234abcd, 0);
}
KERNEL encode_six(G const f32x32 *in, G u32x6 *out, float scale) {
  u32 i = INDEX;
  f32x32 v = in[i];
  f32x16 even = v.even, odd = v.odd; // The instruction interleaves its sources.
  f16x32 h = __builtin_convertvector(v, f16x32);
  out[i * 4] = __builtin_amdgcn_cvt_scalef32_2xpk16_fp6_f32(v.lo, v.hi, scale);
  out[i * 4 + 1] = __builtin_amdgcn_cvt_scalef32_2xpk16_bf6_f32(even, odd, scale);
  out[i * 4 + 2] = __builtin_amdgcn_cvt_scalef32_pk32_fp6_f16(h, scale);
  out[i * 4 + 3] = __builtin_amdgcn_cvt_scalef32_sr_pk32_fp6_f32(v, 0u, scale);
}
/// Stochastic rounding with the random numbers i * 2^20.
KERNEL stochastic(G u32 *out, float x, float scale) {
  u32 i = INDEX, random = i << 20;
  G u32 *o = out + i * 4;
  o[0] = (u32)__builtin_amdgcn_cvt_scalef32_sr_fp8_f32(0x12345678, x, random, scale, 1);
  o[1] = (u32)__builtin_amdgcn_cvt_scalef32_sr_bf8_f16(0x12345678, (_Float16)x, random, scale, 3);
  f32x2 pair = {x, 1.0f};
  o[2] = __builtin_amdgcn_cvt_scalef32_sr_pk_fp4_f32(0x12345678, pair, random, scale, 0);
  o[3] = __builtin_amdgcn_prng_b32(random + i);
}

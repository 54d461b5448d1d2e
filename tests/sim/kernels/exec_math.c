// Transcendental and conversion instructions, one value a lane.
typedef unsigned int u32;
typedef float f32x2 __attribute__((ext_vector_type(2)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define INDEX (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

KERNEL transcendental(G const float *in, G float *out) {
  u32 i = INDEX;
  float x = in[i];
  G float *o = out + i * 8;
  o[0] = __builtin_amdgcn_exp2f(x);
  o[1] = __builtin_amdgcn_logf(__builtin_fabsf(x));
  o[2] = __builtin_amdgcn_rcpf(x);
  o[3] = __builtin_amdgcn_rsqf(__builtin_fabsf(x));
  o[4] = __builtin_amdgcn_sinf(x);
  o[5] = __builtin_amdgcn_cosf(x);
  o[6] = __builtin_exp2f(x); // With LLVM's handling of small results.
  o[7] = __builtin_amdgcn_fmed3f(x, -448.0f, 448.0f);
}

KERNEL packed(G const f32x2 *a, G const f32x2 *b, G f32x2 *out) {
  u32 i = INDEX;
  f32x2 x = a[i], y = b[i];
  out[i * 4] = __builtin_elementwise_fma(x, y, (f32x2)(1.5f));
  out[i * 4 + 1] = x * 2.0f + y.yx;
  out[i * 4 + 2] = -x * y.xx;
  out[i * 4 + 3] = x + 3.25f;
}

/// Every 8-bit code to f32, and f32 to 8 bits.
KERNEL float8(G const float *in, G u32 *out) {
  u32 i = INDEX; // 0..255
  G u32 *o = out + i * 4;
  o[0] = __builtin_bit_cast(u32, __builtin_amdgcn_cvt_f32_fp8((int)i, 0));
  o[1] = __builtin_bit_cast(u32, __builtin_amdgcn_cvt_f32_bf8((int)(i << 16), 2));
  o[2] = (u32)__builtin_amdgcn_cvt_pk_fp8_f32(in[i], in[i ^ 1], 0x1234abcd, 1);
  o[3] = (u32)__builtin_amdgcn_cvt_pk_bf8_f32(in[i], in[i ^ 1], 0x1234abcd, 0);
}

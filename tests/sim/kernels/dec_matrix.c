// Matrix operations for the decoder's differential test; the ones that only
// gfx950 has are behind its macro.
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
typedef short s16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))

KERNEL small(GLOBAL f32x4 *out, GLOBAL const s16x4 *a, GLOBAL const f16x4 *b, GLOBAL const long *c) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  f32x4 r = {0, 0, 0, 0};
  r = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a[i], a[i + 64], r, 0, 0, 0);
  r = __builtin_amdgcn_mfma_f32_16x16x16f16(b[i], b[i + 64], r, 0, 0, 0);
  r = __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(c[i], c[i + 64], r, 0, 0, 0);
  r = __builtin_amdgcn_mfma_f32_4x4x4f16(b[i], b[i + 1], r, 1, 2, 3);
  r = __builtin_amdgcn_mfma_f32_16x16x4f32(r.x, r.y, r, 0, 0, 0);
  out[i] = r;
}

KERNEL large(GLOBAL f32x16 *out, GLOBAL i32x16 *ints, GLOBAL const s16x4 *a, GLOBAL const long *c) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  f32x16 r = out[i];
  i32x16 s = {0};
  for (unsigned k = 0; k < 8; ++k) {
    r = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a[i + k], a[i + 64 + k], r, 0, 0, 0);
    r = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(c[i + k], c[i + 64 + k], r, 0, 0, 0);
    s = __builtin_amdgcn_mfma_i32_32x32x16_i8(c[i + k], c[i + 64 + k], s, 0, 0, 0);
  }
  out[i] = r;
  ints[i] = s;
}

KERNEL real(GLOBAL f64x4 *out, GLOBAL const double *a) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  out[i] = __builtin_amdgcn_mfma_f64_16x16x4f64(a[i], a[i + 64], out[i], 0, 0, 0);
}

// Many live accumulators: the register allocator moves some to AGPRs.
__attribute__((amdgpu_flat_work_group_size(256, 256))) KERNEL pressure(GLOBAL f32x16 *out, GLOBAL const s16x4 *a) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  f32x16 r[16];
  for (int j = 0; j < 16; ++j)
    r[j] = out[i + j];
  for (unsigned k = 0; k < 100; ++k)
    for (int j = 0; j < 16; ++j)
      r[j] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a[i + k], a[i + k * 64 + j], r[j], 0, 0, 0);
  for (int j = 0; j < 16; ++j)
    out[i + j] = r[j];
}

#ifdef __gfx950__
KERNEL wide_k(GLOBAL f32x4 *out, GLOBAL f32x16 *big, GLOBAL const bf16x8 *a, GLOBAL const f16x8 *b, GLOBAL const i32x4 *c,
              GLOBAL i32x4 *ints) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  f32x4 r = out[i];
  r = __builtin_amdgcn_mfma_f32_16x16x32_bf16(a[i], a[i + 64], r, 0, 0, 0);
  r = __builtin_amdgcn_mfma_f32_16x16x32_f16(b[i], b[i + 64], r, 0, 0, 0);
  big[i] = __builtin_amdgcn_mfma_f32_32x32x16_bf16(a[i], a[i + 1], big[i], 0, 0, 0);
  ints[i] = __builtin_amdgcn_mfma_i32_16x16x64_i8(c[i], c[i + 64], ints[i], 0, 0, 0);
  out[i] = r;
}

KERNEL scaled(GLOBAL f32x4 *out, GLOBAL f32x16 *big, GLOBAL const i32x8 *a, GLOBAL const int *scales) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  f32x4 r = out[i];
  r = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], a[i + 64], r, 0, 0, 0, scales[i], 0, scales[i + 64]);
  r = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], a[i + 1], r, 4, 4, 1, scales[i], 2, scales[i + 1]);
  r = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], a[i + 2], r, 2, 1, 3, scales[i], 3, scales[i + 2]);
  r = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], a[i + 3], r, 0, 4, 0, 0, 0, 0);
  big[i] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[i], a[i + 5], big[i], 0, 0, 0, scales[i], 1, scales[i + 9]);
  out[i] = r;
}

KERNEL conversions(GLOBAL __bf16 *out, GLOBAL const float *in, GLOBAL unsigned *packed,
                   GLOBAL const unsigned *words) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  out[i * 2] = (__bf16)in[i];
  out[i * 2 + 1] = (__bf16)in[i + 64];
  typedef short s16x2 __attribute__((ext_vector_type(2)));
  s16x2 old = {1, 2};
  old = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(old, in[i], in[i + 1], in[i + 2], 1);
  unsigned p = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(3, in[i], in[i + 1], in[i + 2], 2);
  typedef float f32x2 __attribute__((ext_vector_type(2)));
  f32x2 f = __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(words[i], in[3], 1) +
            __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(words[i], in[4], 1);
  typedef unsigned u32x2 __attribute__((ext_vector_type(2)));
  u32x2 swapped = __builtin_amdgcn_permlane32_swap(words[i], words[i + 1], 0, 0);
  u32x2 swapped16 = __builtin_amdgcn_permlane16_swap(words[i + 2], words[i + 3], 0, 0);
  unsigned bits = (words[i] & words[i + 1]) ^ (words[i + 2] | ~words[i]);
  packed[i] = p + (unsigned)old.x + (unsigned)old.y + (unsigned)(f.x + f.y) + swapped.x + swapped16.y + bits;
}

extern __attribute__((address_space(3))) unsigned staging[];
typedef __fp16 storage_half4 __attribute__((vector_size(8)));
KERNEL to_lds(GLOBAL unsigned *in, GLOBAL storage_half4 *out) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  __builtin_amdgcn_global_load_lds(in + i * 4, (__attribute__((address_space(3))) unsigned *)staging, 16, 0, 0);
  __builtin_amdgcn_global_load_lds(in + i, (__attribute__((address_space(3))) unsigned *)staging, 4, 1024, 0);
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_barrier();
  out[i] = __builtin_amdgcn_ds_read_tr16_b64_v4f16((__attribute__((address_space(3))) storage_half4 *)staging + i);
}
#endif

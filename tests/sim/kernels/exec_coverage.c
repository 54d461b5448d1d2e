// What exec_cases and exec_group leave out: f16 functions, saturating 16-bit
// operations, SDWA, relative indexing, swizzle modes, division, atomics on
// packed and double values, float modes; gfx950's lane and LDS operations.
typedef unsigned int u32;
typedef unsigned short u16;
typedef short i16;
typedef unsigned long long u64;
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef i16 bf16x2 __attribute__((ext_vector_type(2)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define INDEX (__builtin_amdgcn_workgroup_id_x() * 64 + ITEM)
#define U(x) __builtin_bit_cast(u32, x)
#define BARRIER()                                                              \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)

KERNEL division(G const float *a, G const float *b, G float *q, G const double *c, G const double *d, G double *r) {
  u32 i = INDEX;
  q[i] = a[i] / b[i];
  r[i] = c[i] / d[i];
}

KERNEL half_functions(G const f16 *in, G f16 *out) {
  u32 i = INDEX;
  f16 x = in[i], y = in[i ^ 1];
  G f16 *o = out + i * 12;
  o[0] = __builtin_amdgcn_rcph(x);
  o[1] = __builtin_amdgcn_rsqh(x);
  o[2] = __builtin_amdgcn_sinh(x);
  o[3] = __builtin_amdgcn_cosh(x);
  o[4] = __builtin_exp2f16(x);
  o[5] = __builtin_log2f16(x);
  o[6] = __builtin_sqrtf16(x);
  o[7] = __builtin_amdgcn_fracth(x);
  o[8] = x / y;
  o[9] = __builtin_amdgcn_ldexph(x, 3);
  o[10] = __builtin_amdgcn_frexp_manth(x);
  o[11] = __builtin_amdgcn_fmed3h(x, y, (f16)0.5f);
}

KERNEL saturating(G const u32 *in, G u32 *out) {
  u32 i = INDEX, a = in[i], b = in[i ^ 1];
  u16 x = (u16)a, y = (u16)b;
  u16x2 p = __builtin_bit_cast(u16x2, a), q = __builtin_bit_cast(u16x2, b);
  i16x2 s = __builtin_bit_cast(i16x2, a), t = __builtin_bit_cast(i16x2, b);
  G u32 *o = out + i * 12;
  o[0] = __builtin_elementwise_add_sat(x, y);
  o[1] = __builtin_elementwise_sub_sat(x, y);
  o[2] = (u16)__builtin_elementwise_add_sat((i16)x, (i16)y);
  o[3] = (u16)__builtin_elementwise_sub_sat((i16)x, (i16)y);
  o[4] = U(__builtin_elementwise_add_sat(p, q));
  o[5] = U(__builtin_elementwise_sub_sat(p, q));
  o[6] = U(__builtin_elementwise_add_sat(s, t));
  o[7] = U(__builtin_elementwise_sub_sat(s, t));
  o[8] = (u32)__builtin_amdgcn_sdot4((int)a, (int)b, 0x7fff0000, 1);
  o[9] = __builtin_amdgcn_udot4(a, b, 0xffff0000u, 1);
  o[10] = (u32)__builtin_amdgcn_sdot2(s, t, (int)(a & 0x80000000u), 1);
  u32 v;
  __asm__("v_mad_u16 %0, %1, %2, %1 clamp" : "=v"(v) : "v"(a), "v"(b));
  o[11] = v & 0xffff;
}

#define SDWA(N, TEXT)                                                          \
  v = 0x11223344;                                                              \
  __asm__(TEXT : "+v"(v) : "v"(a), "v"(b));                                    \
  o[N] = v;
KERNEL sdwa(G const u32 *in, G u32 *out) {
  u32 i = INDEX, a = in[i], b = in[i ^ 1], v;
  G u32 *o = out + i * 8;
  SDWA(0, "v_add_u32_sdwa %0, %1, %2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_1")
  SDWA(1, "v_add_u32_sdwa %0, sext(%1), %2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:BYTE_0")
  SDWA(2, "v_lshlrev_b32_sdwa %0, %1, %2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_0")
  SDWA(3, "v_sub_u16_sdwa %0, %1, %2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:WORD_0")
  SDWA(4, "v_mov_b32_sdwa %0, sext(%1) dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2")
  SDWA(5, "v_add_f16_sdwa %0, -%1, |%2| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0")
  u64 mask;
  __asm__("v_cmp_lt_u32_sdwa %0, %1, %2 src0_sel:BYTE_0 src1_sel:BYTE_1" : "=s"(mask) : "v"(a), "v"(b));
  o[6] = (u32)(mask >> ITEM & 1);
  SDWA(7, "v_cvt_f32_ubyte0_sdwa %0, %1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3")
}

/// Indexing registers by a scalar and by a lane's value, both ways.
KERNEL relative(G const u32 *in, G u32 *out, u32 index) {
  u32x16 v;
  for (u32 i = 0; i < 16; ++i)
    v[i] = in[ITEM * 16 + i];
  u32 a = v[index & 15];
  v[(index + 3) & 15] = 77 + ITEM;
  u32 b = v[(ITEM * 5 + index) & 15];
  v[(ITEM + index) & 15] ^= 0xff;
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i)
    sum = sum * 31 + v[i];
  out[ITEM * 3] = a;
  out[ITEM * 3 + 1] = b;
  out[ITEM * 3 + 2] = sum;
}

#define SWIZZLE(N, PATTERN) o[N] = (u32)__builtin_amdgcn_ds_swizzle((int)v, PATTERN);
KERNEL swizzles(G const u32 *in, G u32 *out) {
  u32 v = in[ITEM];
  G u32 *o = out + ITEM * 8;
  SWIZZLE(0, 0x801b) // Quad, reversed.
  SWIZZLE(1, 0x001f)
  SWIZZLE(2, 0x041c) // and 28, xor 1
  SWIZZLE(3, 0xc0a0) // Rotate left by 5.
  SWIZZLE(4, 0xc460) // Rotate right by 3.
  SWIZZLE(5, 0xc058) // Rotate by 2 within 8 lanes.
  SWIZZLE(6, 0xe000) // FFT of 32: bits reversed.
  SWIZZLE(7, 0xe018) // FFT of 8.
}

KERNEL packed_atomics(G f16x2 *half, G bf16x2 *brain, G double *sums, G double *low, G double *high) {
  static L f16x2 sharedHalf __attribute__((loader_uninitialized));
  static L double sharedSum __attribute__((loader_uninitialized));
  if (ITEM == 0) {
    sharedHalf = (f16x2)(0);
    sharedSum = 0;
  }
  BARRIER();
  f16x2 h = {1, (f16)0.5f};
  bf16x2 one = {0x3f80, 0x4000}; // 1, 2
  double x = (double)INDEX;
  __builtin_amdgcn_global_atomic_fadd_v2f16(half, h);
  __builtin_amdgcn_global_atomic_fadd_v2bf16(brain, one);
  __builtin_amdgcn_global_atomic_fadd_f64(sums, x);
  __builtin_amdgcn_global_atomic_fmin_f64(low, -x);
  __builtin_amdgcn_global_atomic_fmax_f64(high, x * 2);
  __builtin_amdgcn_ds_atomic_fadd_v2f16(&sharedHalf, h);
  __builtin_amdgcn_ds_atomic_fadd_f64(&sharedSum, x);
  BARRIER();
  if (ITEM == 0) {
    half[1 + __builtin_amdgcn_workgroup_id_x()] = sharedHalf;
    sums[1 + __builtin_amdgcn_workgroup_id_x()] = sharedSum;
  }
}

/// Arithmetic in the rounding mode `mode` (MODE[3:0]).
KERNEL rounding(G const float *a, G const double *b, G float *f, G double *d, u32 mode) {
  u32 i = INDEX;
  float x = a[i], y = a[i ^ 1], sum, product, fused, narrow, nearest;
  double p = b[i], q = b[i ^ 1], wideSum, wideProduct;
  u32 half;
  __asm__ volatile("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), %8\n"
                   "v_add_f32 %0, %9, %10\n"
                   "v_mul_f32 %1, %9, %10\n"
                   "v_fma_f32 %2, %9, %10, %9\n"
                   "v_cvt_f32_f64 %3, %11\n"
                   "v_rndne_f32 %4, %9\n"
                   "v_cvt_f16_f32 %5, %9\n"
                   "v_add_f64 %6, %11, %12\n"
                   "v_mul_f64 %7, %11, %12\n"
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n"
                   : "=&v"(sum), "=&v"(product), "=&v"(fused), "=&v"(narrow), "=&v"(nearest), "=&v"(half),
                     "=&v"(wideSum), "=&v"(wideProduct)
                   : "s"(mode), "v"(x), "v"(y), "v"(p), "v"(q));
  G float *o = f + i * 6;
  o[0] = sum, o[1] = product, o[2] = fused, o[3] = narrow, o[4] = nearest;
  o[5] = (float)__builtin_bit_cast(f16, (u16)half);
  d[i * 2] = wideSum, d[i * 2 + 1] = wideProduct;
}

/// A kernel that starts with f32 denormals flushed, division included.
KERNEL flushed(G const float *a, G float *out) {
  u32 i = INDEX;
  float x = a[i], y = a[i ^ 1];
  G float *o = out + i * 6;
  o[0] = x + y;
  o[1] = x * y;
  o[2] = __builtin_fmaxf(x, y);
  o[3] = x / y;
  o[4] = __builtin_ldexpf(x, -3);
  o[5] = (float)((double)x * 0.5);
}

KERNEL message(G u32 *out) {
  __builtin_amdgcn_s_sendmsg(1, 0);
  out[ITEM] = 3;
}

#ifdef GFX950
typedef i16 i16x4 __attribute__((ext_vector_type(4)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef int i32x3 __attribute__((ext_vector_type(3)));
typedef __bf16 brain2 __attribute__((ext_vector_type(2)));
/// LDS is filled with bytes; each lane reads its 8 (or 12, at 16) of them.
KERNEL transposed(G const u32 *in, G u32 *out) {
  static L u32 block[256] __attribute__((loader_uninitialized));
  for (u32 i = ITEM; i < 256; i += 64)
    block[i] = in[i];
  BARRIER();
  u32 l = ITEM;
  G u32 *o = out + l * 12;
  L u32 *at = block + (l ^ 3) * 2; // Addresses need not be in order.
  u32x2 a = __builtin_bit_cast(u32x2, __builtin_amdgcn_ds_read_tr16_b64_v4i16((L i16x4 *)at));
  u32x2 b = __builtin_bit_cast(u32x2, __builtin_amdgcn_ds_read_tr8_b64_v2i32((L i32x2 *)at));
  u32x2 c = __builtin_bit_cast(u32x2, __builtin_amdgcn_ds_read_tr4_b64_v2i32((L i32x2 *)at));
  i32x3 d = __builtin_amdgcn_ds_read_tr6_b96_v3i32((L i32x3 *)(block + l * 4));
  o[0] = a.x, o[1] = a.y, o[2] = b.x, o[3] = b.y, o[4] = c.x, o[5] = c.y;
  o[6] = (u32)d.x, o[7] = (u32)d.y, o[8] = (u32)d.z;
}
KERNEL lanes950(G const u32 *in, G u32 *out) {
  u32 l = ITEM, v = in[l], w = in[l + 64];
  G u32 *o = out + l * 12;
  u32x2 a = __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane16_swap(v, w, 0, 0));
  u32x2 b = __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane32_swap(v, w, 0, 0));
  o[0] = a.x, o[1] = a.y, o[2] = b.x, o[3] = b.y;
  o[4] = (u32)__builtin_amdgcn_bitop3_b32((int)v, (int)w, (int)l, 0x6c);
  o[5] = (u16)__builtin_amdgcn_bitop3_b16((i16)v, (i16)w, (i16)(v >> 16), 0xd1);
  float x = (float)(int)v, y = (float)(int)w;
  brain2 pair = {(__bf16)x, (__bf16)y};
  o[6] = __builtin_bit_cast(u32, pair);
  o[7] = (u32)__builtin_amdgcn_ashr_pk_i8_i32(v, w, 9) & 0xffff;
  o[8] = (u32)__builtin_amdgcn_ashr_pk_u8_i32(v, w, 20) & 0xffff;
}
KERNEL wide_load_to_lds(G const u32x4 *in, G u32x4 *out) {
  static L u32x4 staged[64] __attribute__((loader_uninitialized));
  __builtin_amdgcn_global_load_lds((G u32 *)(in + (ITEM ^ 5)), (L u32 *)staged, 16, 0, 0);
  __builtin_amdgcn_s_waitcnt(0);
  BARRIER();
  out[ITEM] = staged[ITEM];
}
#endif

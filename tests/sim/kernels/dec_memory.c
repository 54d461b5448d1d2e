// Memory, LDS, atomic, cross-lane and control-flow code for the decoder's
// differential test: only its instructions matter, not what it computes.
typedef unsigned long long u64;
typedef unsigned u32;
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))

extern LOCAL u32 shared[];
__attribute__((visibility("protected"))) GLOBAL u32 table[64] = {1, 2, 3};

KERNEL vectors(GLOBAL u32x4 *out, GLOBAL const u32x4 *in, GLOBAL u32x2 *two, GLOBAL u32x3 *three,
               GLOBAL unsigned char *bytes, GLOBAL signed char *chars, GLOBAL unsigned short *words) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  u32x4 v = in[i] + in[i + 300] + in[-5];
  v.x += bytes[i] + (u32)chars[i] + words[i] + (u32)(short)words[i + 9];
  out[i] = v;
  two[i] = v.xy;
  three[i] = v.xyz;
  words[i + 3] = (unsigned short)(v.y >> 16);
  bytes[i + 3] = (unsigned char)v.y;
  __builtin_nontemporal_store(v, &out[i + 7]);
  out[i + 9] = __builtin_nontemporal_load(&in[i + 1000]) + table[i & 63];
  table[i & 63] = v.w;
}

KERNEL local_memory(GLOBAL u32 *out, GLOBAL const u32 *in) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  shared[i] = in[i];
  shared[i + 64] = in[i + 1];
  ((LOCAL u64 *)shared)[i + 256] = in[i];
  ((LOCAL u32x4 *)shared)[i + 256] = ((GLOBAL const u32x4 *)in)[i];
  ((LOCAL unsigned short *)shared)[i + 1] = (unsigned short)in[i + 5];
  ((LOCAL unsigned char *)shared)[i * 3] = (unsigned char)(in[i + 5] >> 16);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  u32 r = shared[i ^ 1] + shared[(i ^ 1) + 64] + ((LOCAL unsigned short *)shared)[i + 9];
  u32x4 q = ((LOCAL u32x4 *)shared)[i ^ 7];
  u64 d = ((LOCAL u64 *)shared)[i + 17] + ((LOCAL u64 *)shared)[i + 529];
  r += q.x + q.y + q.z + q.w + (u32)d + ((LOCAL unsigned char *)shared)[i];
  r += __atomic_fetch_add(&shared[i], 3, __ATOMIC_RELAXED);
  __atomic_fetch_or(&shared[i + 1], 3, __ATOMIC_RELAXED);
  __atomic_fetch_max((LOCAL int *)&shared[i + 2], 3, __ATOMIC_RELAXED);
  u32 expected = 4;
  __atomic_compare_exchange_n(&shared[i + 3], &expected, 8, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  out[i] = r + expected;
}

KERNEL atomics(GLOBAL u32 *a, GLOBAL u64 *b, GLOBAL float *f, GLOBAL double *d, GLOBAL half2 *h, u32 n) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  a[i + 100] = __atomic_fetch_add(&a[i], n, __ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&a[i + 1], n, __ATOMIC_RELAXED);
  __atomic_fetch_and(&b[i], n, __ATOMIC_ACQ_REL);
  __atomic_fetch_max(&b[i + 1], (u64)n, __ATOMIC_RELEASE);
  __builtin_amdgcn_global_atomic_fadd_f64(&d[i], 1.0);
  __builtin_amdgcn_global_atomic_fadd_v2f16(&h[i], (half2){1, 2});
  u32 expected = n;
  while (!__atomic_compare_exchange_n(&a[0], &expected, expected * 3, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    ;
  __atomic_store_n(&a[7], 1, __ATOMIC_RELEASE);
  f[i] = (float)__atomic_load_n(&a[9], __ATOMIC_ACQUIRE) + (float)__atomic_exchange_n(&b[3], 5, __ATOMIC_RELAXED);
}

KERNEL generic(u32 *a, GLOBAL u32 *out) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  u32 local[32];
  for (u32 k = 0; k < 32; ++k)
    local[(k * i) & 31] = a[k];
  u32 *p = i & 1 ? a : local;
  p[i & 31] = 9;
  __atomic_fetch_add(&a[i], 1, __ATOMIC_RELAXED);
  out[i] = p[(i + 3) & 31] + ((unsigned char *)p)[i] + (u32)((u64 *)p)[1];
}

KERNEL buffers(GLOBAL void *base, u32 size, GLOBAL u32x4 *out, int scalar) {
  __amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc((void *)base, 0, size, 0x27000);
  int i = (int)__builtin_amdgcn_workitem_id_x();
  u32x4 v = __builtin_amdgcn_raw_buffer_load_b128(r, i * 16, 0, 0);
  v.x += __builtin_amdgcn_raw_buffer_load_b32(r, i * 4, scalar, 1) + __builtin_amdgcn_raw_buffer_load_b8(r, i + 77, 16, 2);
  v.y += __builtin_amdgcn_raw_buffer_load_b16(r, 5, scalar, 0);
  __builtin_amdgcn_raw_buffer_store_b64(v.xy, r, i * 8 + 4000, scalar, 3);
  __builtin_amdgcn_raw_buffer_store_b16((unsigned short)v.z, r, i * 2, 0, 0);
  out[i] = v;
}

KERNEL lanes(GLOBAL u32 *out, GLOBAL const u32 *in, u32 n) {
  u32 i = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  u32 v = in[i];
  u32 r = (u32)__builtin_amdgcn_ds_bpermute((int)(i ^ 1) * 4, (int)v) + (u32)__builtin_amdgcn_ds_permute((int)i * 4, (int)v);
  r += (u32)__builtin_amdgcn_update_dpp(0, (int)v, 0xb1, 0xf, 0xf, 1) + (u32)__builtin_amdgcn_update_dpp((int)r, (int)v, 0x111, 0xa, 0xf, 0);
  r += (u32)__builtin_amdgcn_mov_dpp((int)v, 0x141, 0xf, 0xf, 0) + (u32)__builtin_amdgcn_update_dpp(0, (int)v, 0x143, 0xc, 0xf, 0);
  r += (u32)__builtin_amdgcn_ds_swizzle((int)v, 0x401f) + (u32)__builtin_amdgcn_ds_swizzle((int)v, 0x80b1) + (u32)__builtin_amdgcn_ds_swizzle((int)v, 0x1f);
  r += (u32)__builtin_amdgcn_readfirstlane((int)v) + (u32)__builtin_amdgcn_readlane((int)v, (int)n) + (u32)__builtin_amdgcn_readlane((int)v, 5);
  r += (u32)__builtin_amdgcn_ballot_w64(v > n) + (u32)__builtin_popcountll(__builtin_amdgcn_read_exec());
  if (v & 1)
    r += in[v & 127];
  for (u32 k = 0; k < (v & 15); ++k)
    r = r * 3 + in[k];
  out[i] = r;
  __builtin_amdgcn_s_sleep(3);
  __builtin_amdgcn_s_setprio(2);
  __builtin_amdgcn_s_sendmsg(1, 0);
  out[i + 64] = (u32)__builtin_readcyclecounter() + (u32)__builtin_amdgcn_s_memrealtime() + __builtin_amdgcn_s_getreg(0xf814);
  if (n == 12345)
    __builtin_trap();
}

__attribute__((noinline)) u32 callee(u32 a, u32 *p) { return a > 3 ? callee(a - 1, p) * a + p[a] : 1; }
KERNEL caller(GLOBAL u32 *out, u32 *p) {
  out[__builtin_amdgcn_workitem_id_y() + __builtin_amdgcn_workitem_id_z()] = callee(out[0], p);
  out[1] = *(const __attribute__((address_space(4))) u32 *)__builtin_amdgcn_dispatch_ptr();
}

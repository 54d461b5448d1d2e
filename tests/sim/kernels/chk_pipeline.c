// Kernels in the shape of real ones, for the mutation test: prefetched loads,
// double-buffered LDS, matrix instructions fed from LDS, loads to LDS.
typedef unsigned int u32;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define BARRIER()                                                              \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)

/// Each item adds eight rows; the loads are in flight together.
KERNEL prefetch(G const u32x4 *in, G u32x4 *out) {
  u32x4 v[8];
  for (u32 i = 0; i < 8; ++i)
    v[i] = in[i * 256 + ITEM];
  u32x4 sum = v[0];
  for (u32 i = 1; i < 8; ++i)
    sum = sum * 3 + v[i];
  out[GROUP * 256 + ITEM] = sum;
}

/// Two LDS buffers in turn: one barrier a step.
KERNEL double_buffer(G const u32x4 *in, G u32x4 *out) {
  static L u32x4 rows[2][256] __attribute__((loader_uninitialized));
  u32x4 sum = 0, next = in[ITEM];
  for (u32 i = 0; i < 6; ++i) {
    rows[i & 1][ITEM] = next;
    next = in[(i + 1) * 256 + ITEM];
    BARRIER();
    sum += rows[i & 1][(ITEM + 64) & 255] + rows[i & 1][(ITEM + 129) & 255];
  }
  out[GROUP * 256 + ITEM] = sum;
}

/// One LDS buffer: two barriers a step.
KERNEL single_buffer(G const u32 *in, G u32 *out) {
  static L u32 row[256] __attribute__((loader_uninitialized));
  u32 sum = 0;
  for (u32 i = 0; i < 5; ++i) {
    row[ITEM] = in[i * 256 + ITEM];
    BARRIER();
    sum = sum * 5 + row[255 - ITEM] + row[(ITEM * 7) & 255];
    BARRIER();
  }
  out[GROUP * 256 + ITEM] = sum;
}

/// A through LDS, B from memory, four waves with a column each.
KERNEL matrix_tile(G const i16x4 *a, G const i16x4 *b, G f32x4 *out) {
  static L i16x4 tile[2][256] __attribute__((loader_uninitialized));
  u32 lane = ITEM & 63, wave = ITEM >> 6;
  f32x4 sum = 0;
  i16x4 next = a[ITEM];
  for (u32 k = 0; k < 4; ++k) {
    tile[k & 1][ITEM] = next;
    next = a[(k + 1) * 256 + ITEM];
    i16x4 right = b[(k * 4 + wave) * 64 + lane];
    BARRIER();
    for (u32 i = 0; i < 4; ++i)
      sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(tile[k & 1][i * 64 + lane], right, sum, 0, 0, 0);
  }
  out[GROUP * 256 + ITEM] = sum;
}

/// Loads to LDS, two steps ahead; each wave reads what all have loaded.
KERNEL staged(G const u32 *in, G u32 *out) {
  static L u32 stage[2][256] __attribute__((loader_uninitialized));
  u32 wave = __builtin_amdgcn_readfirstlane((int)(ITEM >> 6)), sum = 0;
  for (u32 i = 0; i < 5; ++i) {
    __builtin_amdgcn_global_load_lds((G u32 *)in + i * 256 + ITEM, &stage[i & 1][wave * 64], 4, 0, 0);
    __builtin_amdgcn_s_waitcnt(0x0f70); // vmcnt(0)
    BARRIER();
    sum = sum * 3 + stage[i & 1][255 - ITEM];
  }
  out[GROUP * 256 + ITEM] = sum;
}

/// Counts of 16 values, then their running sum by the first wave.
KERNEL histogram(G const u32 *in, G u32 *out) {
  static L u32 bins[64] __attribute__((loader_uninitialized));
  if (ITEM < 64)
    bins[ITEM] = 0;
  BARRIER();
  for (u32 i = 0; i < 4; ++i)
    __scoped_atomic_fetch_add(&bins[in[i * 256 + ITEM] & 63], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  BARRIER();
  u32 before = 0;
  if (ITEM < 64)
    for (u32 i = 0; i < ITEM; ++i)
      before += bins[i];
  BARRIER();
  if (ITEM < 64)
    bins[ITEM] = before;
  BARRIER();
  out[GROUP * 256 + ITEM] = bins[ITEM >> 2];
}

/// A sum over 1024 items: in the wave by lane crossing, then through LDS.
KERNEL reduce(G const u32 *in, G u32 *out) {
  static L u32 part[16] __attribute__((loader_uninitialized));
  u32 v = in[GROUP * 1024 + ITEM];
  for (u32 d = 32; d; d >>= 1)
    v += (u32)__builtin_amdgcn_ds_bpermute((int)(((ITEM & 63) ^ d) * 4), (int)v);
  if ((ITEM & 63) == 0)
    part[ITEM >> 6] = v;
  BARRIER();
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i)
    sum += part[i];
  out[GROUP * 1024 + ITEM] = sum + v;
}

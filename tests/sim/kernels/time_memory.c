// Kernels whose time is decided by memory; tests/sim/timing has the numbers.
typedef unsigned int u32;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

/// 256 work items a group: 16 bytes each.
KERNEL copy16(G const u32x4 *in, G u32x4 *out) {
  out[GROUP * 256 + ITEM] = in[GROUP * 256 + ITEM];
}
/// The same with 4 bytes each.
KERNEL copy4(G const u32 *in, G u32 *out) {
  out[GROUP * 256 + ITEM] = in[GROUP * 256 + ITEM];
}

/// Reads with one load a wave in flight, 1024 work items a group.
#define STREAM(NAME, T)                                                        \
  __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(1024, 1024)))      \
  void NAME(G const T *in, u32 steps, G u32 *out) {                            \
    in += GROUP * 1024 * steps + ITEM;                                         \
    _Pragma("unroll 1") for (u32 i = 0; i < steps; ++i) {                      \
      T v = in[i * 1024];                                                      \
      __asm__ volatile("" : : "v"(v));                                         \
    }                                                                          \
    out[ITEM] = steps;                                                         \
  }
STREAM(stream16, u32x4)
STREAM(stream4, u32)

/// One load after the other: each needs the last one's result.
KERNEL chase(G const u32 *next, u32 hops, G u32 *out) {
  u32 at = 0;
  for (u32 i = 0; i < hops; ++i)
    at = next[at + (ITEM >> 6)];
  out[ITEM] = at;
}

/// Every group reads the same `count` 16-byte elements.
KERNEL shared_read(G const u32x4 *in, u32 count, G u32 *out) {
  u32x4 sum = 0;
  for (u32 i = ITEM; i < count; i += 256)
    sum += in[i];
  out[GROUP * 256 + ITEM] = sum.x + sum.y + sum.z + sum.w;
}

KERNEL nothing(G u32 *out) { (void)out; }

// OpenCL C 2.0 without a library: address spaces, vectors, local arguments,
// generic pointers, atomics, halves, program-scope constants.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define GROUP_ID __builtin_amdgcn_workgroup_id_x()
#define GLOBAL_ID (GROUP_ID * 64 + LOCAL_ID)
#define BARRIER()                                                              \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)

__constant float weights[4] = {0.5f, -1.0f, 2.0f, 8.0f};

/// out[i] = a * in[i].wzyx + weights, as vectors of four.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
swizzle(__global const float4 *in, __global float4 *out, float a, uint count) {
  uint i = GLOBAL_ID;
  if (i < count)
    out[i] = a * in[i].wzyx + (float4)(weights[0], weights[1], weights[2], weights[3]);
}

/// Reverses each group of 64 through memory that the host provides in LDS.
__kernel void reverse_local(__global const int *in, __global int *out, __local int *staged) {
  staged[LOCAL_ID] = in[GLOBAL_ID];
  BARRIER();
  out[GLOBAL_ID] = staged[63 - LOCAL_ID];
}

/// A histogram of bytes: LDS atomics, then one global atomic a bin.
__kernel void histogram(__global const uchar *in, volatile __global atomic_uint *bins, uint perItem) {
  __local atomic_uint local_bins[256];
  for (uint b = LOCAL_ID; b < 256; b += 64)
    __opencl_atomic_init(&local_bins[b], 0);
  BARRIER();
  for (uint k = 0; k < perItem; ++k)
    __opencl_atomic_fetch_add(&local_bins[in[GLOBAL_ID * perItem + k]], 1u, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
  BARRIER();
  for (uint b = LOCAL_ID; b < 256; b += 64)
    __opencl_atomic_fetch_add(&bins[b], __opencl_atomic_load(&local_bins[b], __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP),
                              __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}

__attribute__((noinline)) int sumOf(const int *values, int count) { // Generic.
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum = sum * 3 + values[i];
  return sum;
}
/// The same function on private, local and global memory.
__kernel void generic_pointers(__global const int *in, __global int *out) {
  __local int shared[64 * 4];
  int mine[4];
  for (int k = 0; k < 4; ++k) {
    mine[k] = in[GLOBAL_ID * 4 + k];
    shared[LOCAL_ID * 4 + k] = mine[k] + 1;
  }
  const int *p = GLOBAL_ID % 3 == 0 ? (const int *)mine : GLOBAL_ID % 3 == 1 ? (const int *)&shared[LOCAL_ID * 4] : (const int *)&in[GLOBAL_ID * 4];
  out[GLOBAL_ID] = sumOf(p, 4);
}

typedef struct {
  char small;
  half scale;
  int3 offset;
  double wide;
} Parameters;
/// A struct by value, halves and doubles, conversions.
__kernel void by_value(Parameters p, __global const half *in, __global double *out) {
  half scaled = in[GLOBAL_ID] * p.scale + (half)p.small;
  out[GLOBAL_ID] = (double)scaled / p.wide + (double)(p.offset.x * p.offset.y - p.offset.z);
}

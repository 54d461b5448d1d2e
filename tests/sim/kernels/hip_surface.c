// Small kernels for the tests of the HIP functions (tests/sim/hip).
typedef unsigned int u32;
typedef unsigned long long u64;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define ITEM (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

/// Launched with blocks of 64.
KERNEL add(G u32 *out, G const u32 *in, u32 value) { out[ITEM] = in[ITEM] + value; }
KERNEL scale(G u32 *out, u32 factor) { out[ITEM] *= factor; }
/// log[0] counts; one entry a launch.
KERNEL append(G u32 *log, u32 id) {
  if (ITEM == 0)
    log[1 + log[0]++] = id;
}
/// Arguments of different sizes and alignments.
KERNEL mixed(G u64 *out, unsigned char a, unsigned short b, u32 c, u64 d) {
  if (ITEM == 0)
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}
KERNEL fail(G u32 *out) {
  if (out[0] != 0xffffffffu)
    __builtin_trap();
}

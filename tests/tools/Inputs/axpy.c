// Kernels for hipsim-run.test.
typedef unsigned int u32;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define INDEX (__builtin_amdgcn_workgroup_id_x() * 64 + ITEM)

/// y[i] += a * x[i]
KERNEL axpy(G const float *x, G float *y, float a, u32 count) {
  u32 i = INDEX;
  if (i < count)
    y[i] += a * x[i];
}

__attribute__((noinline)) static u32 helper(u32 a) { return a * 3 + 1; }

/// Reverses 64 words through dynamic LDS.
extern L u32 staged[];
KERNEL reverse(G const u32 *in, G u32 *out) {
  staged[ITEM] = helper(in[INDEX]);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[INDEX] = staged[63 - ITEM];
}

typedef struct { unsigned short low; short high; u32 word; } Pair;
KERNEL by_value(Pair p, G int *out, double d) {
  if (ITEM == 0) {
    out[0] = p.low;
    out[1] = p.high;
    out[2] = (int)p.word;
    out[3] = (int)d;
  }
}

KERNEL trap(G u32 *out) {
  if (out[ITEM] == 0)
    __builtin_trap();
}

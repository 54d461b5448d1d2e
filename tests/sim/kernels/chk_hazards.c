// Kernels for the checks: each mistake beside the same code without it.
// Assembly, where clang would not make the mistake.
typedef unsigned int u32;
typedef unsigned long long u64;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define C __attribute__((address_space(4)))
#define ITEM __builtin_amdgcn_workitem_id_x()

/// Adds 1 to a loaded value, with WAIT between load and use.
#define LOAD_USE(NAME, WAIT)                                                   \
  KERNEL NAME(G const u32 *in, G u32 *out) {                                   \
    u32 v;                                                                     \
    __asm__ volatile("global_load_dword %0, %1, off\n" WAIT                    \
                     "v_add_u32_e32 %0, 1, %0"                                 \
                     : "=&v"(v) : "v"(in + ITEM) : "memory");                  \
    out[ITEM] = v;                                                             \
  }
LOAD_USE(vector_unwaited, "")
LOAD_USE(vector_waited, "s_waitcnt vmcnt(0)\n")
LOAD_USE(vector_wrong_counter, "s_waitcnt lgkmcnt(0)\n")

/// Two loads; the use is of the first or of the second.
#define TWO_LOADS(NAME, WAIT, USED)                                            \
  KERNEL NAME(G const u32 *in, G u32 *out) {                                   \
    u32 a, b, r;                                                               \
    __asm__ volatile("global_load_dword %0, %3, off\n"                         \
                     "global_load_dword %1, %3, off offset:4\n" WAIT           \
                     "v_mov_b32_e32 %2, " USED "\n s_waitcnt vmcnt(0)"         \
                     : "=&v"(a), "=&v"(b), "=&v"(r) : "v"(in + ITEM)           \
                     : "memory");                                              \
    out[ITEM] = r;                                                             \
  }
TWO_LOADS(first_of_two, "s_waitcnt vmcnt(1)\n", "%0")
TWO_LOADS(second_of_two, "s_waitcnt vmcnt(1)\n", "%1")

/// Overwriting the destination of a load is as wrong as reading it.
KERNEL overwritten(G const u32 *in, G u32 *out) {
  u32 v;
  __asm__ volatile("global_load_dword %0, %1, off\n v_mov_b32_e32 %0, 7\n s_waitcnt vmcnt(0)"
                   : "=&v"(v) : "v"(in + ITEM) : "memory");
  out[ITEM] = v;
}
/// Lanes that did not load may use the register.
KERNEL other_lanes(G const u32 *in, G u32 *out) {
  u32 v;
  __asm__ volatile("s_mov_b64 s[10:11], exec\n s_mov_b64 exec, 0xff\n"
                   "global_load_dword %0, %1, off\n"
                   "s_mov_b64 exec, 0xff00\n v_mov_b32_e32 %0, 7\n"
                   "s_waitcnt vmcnt(0)\n s_mov_b64 exec, s[10:11]"
                   : "=&v"(v) : "v"(in + ITEM) : "memory", "s10", "s11");
  if (ITEM < 16)
    out[ITEM] = v;
}

/// Scalar loads may return in any order: a count above zero covers none.
#define SCALAR(NAME, WAIT)                                                     \
  KERNEL NAME(C const u32 *in, G u32 *out) {                                   \
    u32 r;                                                                     \
    __asm__ volatile("s_load_dword s10, %1, 0x0\n s_load_dword s11, %1, 0x4\n" \
                     WAIT "v_mov_b32_e32 %0, s10\n s_waitcnt lgkmcnt(0)"       \
                     : "=&v"(r) : "s"(in) : "s10", "s11", "memory");           \
    out[ITEM] = r;                                                             \
  }
SCALAR(scalar_partial, "s_waitcnt lgkmcnt(1)\n")
SCALAR(scalar_waited, "s_waitcnt lgkmcnt(0)\n")

/// LDS operations are in order among themselves, also beside scalar loads.
#define MIXED(NAME, WAIT)                                                      \
  KERNEL NAME(C const u32 *in, G u32 *out) {                                   \
    static L u32 cell[64] __attribute__((loader_uninitialized));               \
    cell[ITEM] = ITEM;                                                         \
    u32 a, b;                                                                  \
    __asm__ volatile("s_waitcnt lgkmcnt(0)\n ds_read_b32 %0, %2\n"             \
                     "ds_read_b32 %1, %2\n" WAIT                               \
                     "v_mov_b32_e32 %0, %0\n s_waitcnt lgkmcnt(0)"             \
                     : "=&v"(a), "=&v"(b) : "v"(&cell[ITEM]), "s"(in)          \
                     : "s10", "memory");                                       \
    out[ITEM] = a + b;                                                         \
  }
MIXED(lds_partial, "s_waitcnt lgkmcnt(1)\n")
MIXED(lds_behind_scalar, "s_load_dword s10, %3, 0x0\n s_waitcnt lgkmcnt(1)\n")
MIXED(lds_unwaited, "s_waitcnt lgkmcnt(2)\n")

/// A load to LDS counts in vmcnt, its reader in lgkmcnt.
#define TO_LDS(NAME, WAIT)                                                     \
  KERNEL NAME(G const u32 *in, G u32 *out) {                                   \
    static L u32 staged[64] __attribute__((loader_uninitialized));             \
    __builtin_amdgcn_global_load_lds((G u32 *)in + ITEM, staged, 4, 0, 0);     \
    u32 v;                                                                     \
    __asm__ volatile(WAIT "ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)"          \
                     : "=&v"(v) : "v"(&staged[ITEM ^ 1]) : "memory");          \
    out[ITEM] = v;                                                             \
  }
TO_LDS(to_lds_unwaited, "s_waitcnt lgkmcnt(0)\n")
TO_LDS(to_lds_waited, "s_waitcnt vmcnt(0)\n")

/// 256 items pass a value to a lane of the next wave.
#define PASS(NAME, BETWEEN)                                                    \
  KERNEL NAME(G const u32 *in, G u32 *out) {                                   \
    static L u32 cell[256] __attribute__((loader_uninitialized));              \
    u32 v = in[ITEM], r;                                                       \
    __asm__ volatile("s_waitcnt vmcnt(0)\n ds_write_b32 %1, %3\n" BETWEEN      \
                     "ds_read_b32 %0, %2\n s_waitcnt lgkmcnt(0)"               \
                     : "=&v"(r)                                                \
                     : "v"(&cell[ITEM]), "v"(&cell[(ITEM + 64) & 255]), "v"(v) \
                     : "memory");                                              \
    out[ITEM] = r;                                                             \
  }
PASS(pass_ordered, "s_waitcnt lgkmcnt(0)\n s_barrier\n")
PASS(pass_without_barrier, "s_waitcnt lgkmcnt(0)\n")
PASS(pass_without_wait, "s_barrier\n")

/// Bytes of one dword by different waves are no race; the same byte is.
#define BYTES(NAME, INDEX)                                                     \
  KERNEL NAME(G unsigned char *out) {                                          \
    static L unsigned char cell[256] __attribute__((loader_uninitialized));    \
    u32 at = INDEX;                                                            \
    cell[at] = (unsigned char)ITEM;                                            \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
    out[ITEM] = cell[ITEM];                                                    \
  }
BYTES(bytes_apart, (ITEM & 63) * 4 + (ITEM >> 6))
BYTES(bytes_shared, ITEM & 127)

/// The next phase overwrites what another wave still reads.
#define REUSE(NAME, SECOND)                                                    \
  KERNEL NAME(G const u32 *in, G u32 *out) {                                   \
    static L u32 cell[256] __attribute__((loader_uninitialized));              \
    u32 sum = 0;                                                               \
    for (u32 i = 0; i < 4; ++i) {                                              \
      cell[ITEM] = in[ITEM] + i;                                               \
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                   \
      __builtin_amdgcn_s_barrier();                                            \
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                   \
      sum += cell[(ITEM + 64) & 255];                                          \
      SECOND;                                                                  \
    }                                                                          \
    out[ITEM] = sum;                                                           \
  }
REUSE(reuse_ordered, __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
                     __builtin_amdgcn_s_barrier())
REUSE(reuse_unordered, )

/// Atomics on one address do not race with each other, but with a plain read.
#define COUNT(NAME, LATE)                                                      \
  KERNEL NAME(G u32 *out) {                                                    \
    static L u32 count __attribute__((loader_uninitialized));                  \
    if (ITEM == 0)                                                             \
      count = 0;                                                               \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __scoped_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP); \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    LATE;                                                                      \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
    out[ITEM] = *(L volatile u32 *)&count;                                     \
  }
COUNT(count_ordered, __builtin_amdgcn_s_barrier())
COUNT(count_unordered, )

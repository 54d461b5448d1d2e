// Workgroup features: LDS, barriers, atomics, lane crossing, buffers, calls,
// hidden arguments, and kernels that do something wrong.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
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

/// Sum of 256 values a group, by halving in LDS.
KERNEL lds_reduce(G const u32 *in, G u32 *out) {
  static L u32 part[256] __attribute__((loader_uninitialized));
  u32 t = ITEM;
  part[t] = in[GROUP * 256 + t];
  BARRIER();
  for (u32 s = 128; s; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    BARRIER();
  }
  if (t == 0)
    out[GROUP] = part[0];
}

/// 16-byte LDS accesses with a rotation by one row of 64.
KERNEL lds_wide(G const u32x4 *in, G u32x4 *out) {
  static L u32x4 rows[256] __attribute__((loader_uninitialized));
  rows[ITEM] = in[ITEM];
  BARRIER();
  out[ITEM] = rows[(ITEM + 64) & 255];
}

/// The order of additions differs, the sums do not.
KERNEL atomics(G u32 *counters, G float *sum, G u64 *wide, G u32 *tickets) {
  static L u32 local __attribute__((loader_uninitialized));
  if (ITEM == 0)
    local = 0;
  BARRIER();
  __scoped_atomic_fetch_add(&local, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  u32 ticket = __scoped_atomic_fetch_add(counters, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  tickets[ticket] = 1;
  __scoped_atomic_fetch_max((G int *)counters + 1, (int)ticket, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(counters + 2, 1u << (ticket & 31), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add(wide, 0x100000001ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  u32 expected = __scoped_atomic_load_n(counters + 3, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (!__scoped_atomic_compare_exchange_n(counters + 3, &expected, expected + 3, 0, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
    ;
  __builtin_amdgcn_global_atomic_fadd_f32((G float *)sum, 0.25f);
  BARRIER();
  if (ITEM == 0)
    __scoped_atomic_fetch_add(counters + 4, local, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/// Lane crossing; eleven results a lane.
KERNEL lanes(G const u32 *in, G u32 *out) {
  u32 l = ITEM, v = in[l];
  G u32 *o = out + l * 16;
  o[0] = (u32)__builtin_amdgcn_ds_bpermute((int)((l ^ 5) * 4), (int)v);
  o[1] = (u32)__builtin_amdgcn_ds_permute((int)(((l * 3) & 63) * 4), (int)v);
  o[2] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x111, 0xf, 0xf, 0); // row_shr:1
  o[3] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x104, 0xf, 0xf, 1); // row_shl:4
  o[4] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x1b, 0xf, 0xf, 0);  // quad reverse
  o[5] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x153, 0xf, 0xf, 0); // row_newbcast:3
  o[6] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x140, 0x5, 0xf, 0); // mirror, rows 0 and 2
  o[7] = (u32)__builtin_amdgcn_update_dpp(77, (int)v, 0x142, 0xa, 0xf, 0); // row_bcast:15
  o[8] = (u32)__builtin_amdgcn_readlane((int)v, 17);
  o[9] = (u32)__builtin_amdgcn_ds_swizzle((int)v, 0x041f); // xor 1
  o[10] = __builtin_amdgcn_mbcnt_hi(0xf0f0f0f0u, __builtin_amdgcn_mbcnt_lo(0xff00ff00u, 0));
  u64 ballot = __builtin_amdgcn_ballot_w64(v & 1);
  o[11] = (u32)ballot;
  o[12] = (u32)(ballot >> 32);
  if (l >= 20) // The first active lane is 20.
    o[13] = (u32)__builtin_amdgcn_readfirstlane((int)v);
}

/// Buffer accesses of 16, 4 and 2 bytes, some beyond num_records.
KERNEL buffers(G const char *in, G char *out, int inBytes, int outBytes) {
  __amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc((void *)in, 0, inBytes, 0x27000);
  __amdgpu_buffer_rsrc_t w = __builtin_amdgcn_make_buffer_rsrc((void *)out, 0, outBytes, 0x27000);
  u32 l = ITEM;
  u32x4 a = __builtin_amdgcn_raw_buffer_load_b128(r, l * 20, 4, 0);
  u32 b = __builtin_amdgcn_raw_buffer_load_b32(r, l * 4, (int)GROUP * 256, 0);
  unsigned short c = __builtin_amdgcn_raw_buffer_load_b16(r, l * 2, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b128(a, w, l * 32, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b32(b, w, l * 32 + 16, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b16(c, w, l * 32 + 20, 0, 0);
}

/// Load to LDS: each lane's dword lands at base + 4 * lane.
KERNEL load_to_lds(G const u32 *in, G u32 *out) {
  static L u32 staged[64] __attribute__((loader_uninitialized));
  staged[ITEM] = 0;
  BARRIER();
  __builtin_amdgcn_global_load_lds((G u32 *)in + (ITEM ^ 1), staged, 4, 0, 0);
  __builtin_amdgcn_s_waitcnt(0);
  BARRIER();
  out[ITEM] = staged[ITEM];
}

__attribute__((noinline)) u32 factorialLike(u32 n, u32 *trail) {
  trail[n & 3] += n;
  return n < 2 ? 1 : n * factorialLike(n - 1, trail);
}
/// Calls (recursive), and private memory by pointer.
KERNEL calls(G const u32 *in, G u32 *out) {
  u32 trail[4] = {0, 0, 0, 0};
  u32 r = factorialLike(in[ITEM] & 7, trail);
  out[ITEM] = r + trail[0] * 1000 + trail[1] * 10000 + trail[2] * 100000;
}

/// Generic pointers into LDS, private and global memory.
KERNEL flat(G u32 *out, u32 which) {
  static L u32 shared[64] __attribute__((loader_uninitialized));
  u32 mine[4] = {1, 2, 3, 4};
  shared[ITEM] = ITEM * 2;
  u32 *p = which == 0 ? (u32 *)&shared[ITEM] : which == 1 ? &mine[ITEM & 3] : (u32 *)(out + 64 + ITEM);
  out[ITEM] = *p + 5;
  *p = 9;
  out[128 + ITEM] = shared[ITEM] + mine[ITEM & 3];
}

/// Block and grid sizes from the hidden arguments, ids in three dimensions.
KERNEL shape(G u32 *out) {
  const __attribute__((address_space(4))) u32 *hidden =
      (const __attribute__((address_space(4))) u32 *)__builtin_amdgcn_implicitarg_ptr();
  u32 countX = hidden[0], sizes = hidden[3], sizeZ = hidden[4] & 0xffff;
  u32 sizeX = sizes & 0xffff, sizeY = sizes >> 16;
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  u32 group = __builtin_amdgcn_workgroup_id_x() +
              countX * (__builtin_amdgcn_workgroup_id_y() + hidden[1] * __builtin_amdgcn_workgroup_id_z());
  u32 item = x + sizeX * (y + sizeY * z);
  out[group * sizeX * sizeY * sizeZ + item] = x | y << 8 | z << 16 | __builtin_amdgcn_workgroup_id_y() << 24;
}

extern L u32 dynamicLds[];
KERNEL dynamic_lds(G u32 *out, u32 count) {
  for (u32 i = ITEM; i < count; i += 64)
    dynamicLds[i] = i * 7;
  BARRIER();
  for (u32 i = ITEM; i < count; i += 64)
    out[i] = dynamicLds[count - 1 - i];
}

static const u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__attribute__((visibility("protected"))) G u32 deviceCounter = 40;
KERNEL constants(G u32 *out) {
  out[ITEM] = table[out[ITEM] & 7] + deviceCounter;
}

/// A uniform byte at the end of a range: LLVM loads the dword around it.
KERNEL last_byte(const __attribute__((address_space(4))) unsigned char *in, G u32 *out) { out[ITEM] = in[24]; }

/// Group 0 waits for all others: they must be able to run meanwhile.
KERNEL grid_wait(G u32 *flag, u32 groups, G u32 *out) {
  if (ITEM)
    return;
  __scoped_atomic_fetch_add(flag, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
  while (__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < groups)
    __builtin_amdgcn_s_sleep(1);
  out[GROUP] = 1;
}

// Kernels with a fault.
KERNEL write_at(G u32 *out, u64 offset) {
  if (ITEM == 37)
    *(G u32 *)((G char *)out + offset) = 1;
}
KERNEL read_at(G const u32 *in, G u32 *out) { out[ITEM] = in[ITEM]; }
KERNEL trap(G u32 *out) {
  if (out[0] == 5)
    __builtin_trap();
  out[1] = 1;
}
KERNEL unknown(G u32 *out) {
  out[0] = 1;
  __asm__ volatile("s_memtime s[10:11]\n s_atomic_add s10, s[4:5], 0x0" ::: "s10", "s11");
}
__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(64, 64))) void exactly64(G u32 *out) { out[ITEM] = 1; }

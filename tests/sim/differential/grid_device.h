// Phases and operations across lanes on the device.
#define ARGUMENTS G const u8 *in, G u8 *out, G u8 *acc, G f32 *approx
#define KERNEL(NAME, STATE, BLOCK, GRID)                                       \
  __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(1, 256))) void NAME(ARGUMENTS) { \
    static L u8 lds[LDS_BYTES] __attribute__((loader_uninitialized, aligned(16))); \
    STATE state, *s = &state;                                                  \
    s->item = __builtin_amdgcn_workitem_id_x();                                \
    s->group = __builtin_amdgcn_workgroup_id_x();                              \
    s->lane = s->item & 63;                                                    \
    const u32 block = BLOCK;                                                   \
    G u8 *own = out + (s->group * block + s->item) * OWN_BYTES;                \
    G f32 *near = approx + (s->group * block + s->item) * APPROX_VALUES;
#define END_KERNEL }
#define PHASE(F) F(s, in, own, acc, lds, near, turn);
#define BARRIER                                                                \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                       \
  __builtin_amdgcn_s_barrier();                                                \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
// DST, A and B are u32 members of the state; COND is an expression over s.
#define BPERMUTE(COND, DST, A, B)                                              \
  if (COND)                                                                    \
    s->DST = (u32)__builtin_amdgcn_ds_bpermute((i32)(s->A << 2), (i32)s->B);
// LLVM 22 takes ds_permute of uniform operands for uniform, which it is not: the
// lane makes the address divergent.
#define PERMUTE(COND, DST, A, B)                                               \
  if (COND)                                                                    \
    s->DST = (u32)__builtin_amdgcn_ds_permute((i32)((s->A ^ s->lane) << 2), (i32)s->B);
#define SWIZZLE(COND, DST, B, PATTERN)                                         \
  if (COND)                                                                    \
    s->DST = (u32)__builtin_amdgcn_ds_swizzle((i32)s->B, PATTERN);
#define DPP(COND, DST, A, B, CTRL, ROWS, BANKS, BOUND)                         \
  if (COND)                                                                    \
    s->DST = (u32)__builtin_amdgcn_update_dpp((i32)s->A, (i32)s->B, CTRL, ROWS, BANKS, BOUND);
#define FIRSTLANE(COND, DST, B)                                                \
  if (COND)                                                                    \
    s->DST = (u32)__builtin_amdgcn_readfirstlane((i32)s->B);
#define READLANE(DST, B, LANE) s->DST = (u32)__builtin_amdgcn_readlane((i32)s->B, LANE);
#define BALLOT(COND, DST, B)                                                   \
  if (COND) {                                                                  \
    u64 ballot = __builtin_amdgcn_ballot_w64((s->B & 1) != 0);                 \
    s->DST = (u32)ballot ^ (u32)(ballot >> 32) * 3;                            \
  }

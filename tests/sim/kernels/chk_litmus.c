// Litmus tests of weak memory: message passing and last-block-reduces, whole
// and with one fence removed (a barrier for the compiler stays in its place).
typedef unsigned int u32;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define G __attribute__((address_space(1)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define RELEASE __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent")
#define ACQUIRE __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent")
#define NOTHING __asm__ volatile("" ::: "memory")

/// Group 5 writes data and raises a flag; the others, which may have seen the
/// old data before, wait for the flag and read. out: 64 words a group.
#define MESSAGE(NAME, BEFORE_FLAG, AFTER_FLAG)                                 \
  KERNEL NAME(G u32 *data, G u32 *flag, G u32 *out) {                          \
    if (GROUP == 5) {                                                          \
      data[ITEM] = 1000 + ITEM;                                                \
      BEFORE_FLAG;                                                             \
      __scoped_atomic_store_n(flag, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
      return;                                                                  \
    }                                                                          \
    out[GROUP * 64 + ITEM] = data[ITEM];                                       \
    NOTHING;                                                                   \
    while (!__scoped_atomic_load_n(flag, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) \
      __builtin_amdgcn_s_sleep(1);                                             \
    AFTER_FLAG;                                                                \
    out[GROUP * 64 + ITEM] = data[ITEM];                                       \
  }
MESSAGE(message, RELEASE, ACQUIRE)
MESSAGE(message_without_release, NOTHING, ACQUIRE)
MESSAGE(message_without_acquire, RELEASE, NOTHING)

/// Each group adds to its part; the last one to finish adds the parts.
#define LAST_BLOCK(NAME, BEFORE_TICKET, AFTER_TICKET)                          \
  KERNEL NAME(G u32 *part, G u32 *ticket, G u32 *out, u32 groups) {            \
    if (ITEM)                                                                  \
      return;                                                                  \
    part[GROUP] += GROUP + 1;                                                  \
    BEFORE_TICKET;                                                             \
    u32 mine = __scoped_atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
    if (mine != groups - 1)                                                    \
      return;                                                                  \
    AFTER_TICKET;                                                              \
    u32 sum = 0;                                                               \
    for (u32 i = 0; i < groups; ++i)                                           \
      sum += part[i];                                                          \
    *out = sum;                                                                \
  }
LAST_BLOCK(last_block, RELEASE, ACQUIRE)
LAST_BLOCK(last_block_without_release, NOTHING, ACQUIRE)
LAST_BLOCK(last_block_without_acquire, RELEASE, NOTHING)

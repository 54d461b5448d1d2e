// Phases and operations across lanes on the host: the state of a whole group is
// an array, lanes that a condition switches off are a mask.
#define ARGUMENTS G const u8 *in, G u8 *out, G u8 *acc, G f32 *approx
#define KERNEL(NAME, STATE, BLOCK, GRID)                                       \
  const u32 NAME##_block = BLOCK, NAME##_grid = GRID;                          \
  void NAME(ARGUMENTS) {                                                       \
    static u8 lds[LDS_BYTES] __attribute__((aligned(16)));                     \
    static STATE states[MAX_BLOCK];                                            \
    const u32 block = BLOCK;                                                   \
    for (u32 group = 0; group < GRID; ++group) {                               \
      for (u32 i = 0; i < block; ++i) {                                        \
        states[i].item = i;                                                    \
        states[i].group = group;                                               \
        states[i].lane = i & 63;                                               \
      }
#define END_KERNEL                                                             \
  }                                                                            \
  }
#define PHASE(F)                                                               \
  for (u32 i = 0; i < block; ++i)                                              \
    F(&states[i], in, out + (group * block + i) * OWN_BYTES, acc, lds,         \
      approx + (group * block + i) * APPROX_VALUES, turn);
#define BARRIER

// Functions that generated code may call and old run-time libraries lack.
bf16 __truncsfbf2(f32 x);

/// Runs BODY for every active lane `l` of every wave with `a[]` and `b[]`, the
/// operands of all its lanes, and `active`; BODY sets `r`, or `keep`.
#define WAVES(COND, DST, A, B, BODY)                                           \
  for (u32 wave = 0; wave < block; wave += 64) {                               \
    u32 a[64], b[64];                                                          \
    u64 active = 0;                                                            \
    for (u32 l = 0; l < 64 && wave + l < block; ++l) {                         \
      __typeof__(&states[0]) s = &states[wave + l];                            \
      a[l] = A;                                                                \
      b[l] = B;                                                                \
      active |= (u64)((COND) != 0) << l;                                       \
    }                                                                          \
    for (u32 l = 0; l < 64 && wave + l < block; ++l)                           \
      if (active >> l & 1) {                                                   \
        u32 r = 0, keep = 0;                                                   \
        BODY;                                                                  \
        (void)a, (void)b;                                                      \
        if (!keep)                                                             \
          states[wave + l].DST = r;                                            \
      }                                                                        \
  }
#define ON(LANE) (active >> (LANE) & 1)

#define BPERMUTE(COND, DST, A, B)                                              \
  WAVES(COND, DST, s->A, s->B, r = ON(a[l] & 63) ? b[a[l] & 63] : 0)
#define PERMUTE(COND, DST, A, B)                                               \
  WAVES(COND, DST, s->A ^ s->lane, s->B, for (u32 from = 0; from < 64; ++from) if (ON(from) && (a[from] & 63) == l) r = b[from])
#define SWIZZLE(COND, DST, B, PATTERN)                                         \
  WAVES(COND, DST, 0, s->B, u32 from = swizzleLane(l, PATTERN); r = ON(from) ? b[from] : 0)
#define DPP(COND, DST, A, B, CTRL, ROWS, BANKS, BOUND)                         \
  WAVES(COND, DST, s->A, s->B, r = dppValue(a, b, active, l, CTRL, ROWS, BANKS, BOUND))
#define FIRSTLANE(COND, DST, B) WAVES(COND, DST, 0, s->B, r = b[__builtin_ctzll(active)])
#define READLANE(DST, B, LANE) WAVES(1, DST, 0, s->B, r = b[LANE])
#define BALLOT(COND, DST, B)                                                   \
  WAVES(COND, DST, 0, s->B, u64 set = 0; for (u32 k = 0; k < 64; ++k) set |= (u64)(ON(k) && (b[k] & 1)) << k; \
        r = (u32)set ^ (u32)(set >> 32) * 3)

FN u32 swizzleLane(u32 l, u32 pattern) {
  if (pattern & 0x8000)
    return (l & ~3u) | (pattern >> 2 * (l & 3) & 3);
  return (l & 32) | ((((l & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
}

/// The lane that a DPP control reads for lane `l`; -1 when there is none.
FN i32 dppLane(i32 l, u32 control) {
  i32 row = l & ~15, i = l & 15, n = (i32)(control & 15);
  switch (control & 0x1f0) {
  case 0x100: return i + n < 16 ? l + n : -1;    /* row_shl */
  case 0x110: return i - n >= 0 ? l - n : -1;    /* row_shr */
  case 0x120: return row | ((i - n) & 15);       /* row_ror */
  case 0x130:
    return n == 0   ? (l < 63 ? l + 1 : -1)      /* wave_shl */
           : n == 4 ? (l + 1) & 63               /* wave_rol */
           : n == 8 ? l - 1                      /* wave_shr */
                    : (l - 1) & 63;              /* wave_ror */
  case 0x140:
    return n == 0   ? row | (15 - i)             /* row_mirror */
           : n == 1 ? (l & ~7) | (7 - (l & 7))   /* row_half_mirror */
           : n == 2 ? row - 1                    /* row_bcast:15 */
                    : (l >= 32 ? 31 : -1);       /* row_bcast:31 */
  case 0x150: return row | n;                    /* row_newbcast */
  default: return (l & ~3) | (i32)(control >> 2 * (l & 3) & 3); /* quad_perm */
  }
}
FN u32 dppValue(const u32 *old, const u32 *b, u64 active, u32 l, u32 control, u32 rows, u32 banks, u32 bound) {
  if (!(rows >> (l >> 4) & 1) || !(banks >> (l >> 2 & 3) & 1))
    return old[l];
  i32 from = dppLane((i32)l, control);
  if (from < 0 || !ON(from))
    return bound ? 0 : old[l];
  return b[from];
}

/// Round to nearest even.
bf16 __truncsfbf2(f32 x) {
  u32 v = __builtin_bit_cast(u32, x);
  u32 r = x != x ? v >> 16 | 0x40 : (v + 0x7fff + (v >> 16 & 1)) >> 16;
  return __builtin_bit_cast(bf16, (u16)r);
}

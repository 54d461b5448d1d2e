// Loops of one kind of instruction; tests/sim/timing has the numbers. Inline
// assembly, so that the loop holds what it says and nothing else.
typedef unsigned int u32;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
#define KERNEL __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(64, 1024))) void
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define TIMES4(X) X X X X
#define TIMES16(X) TIMES4(TIMES4(X))

#ifdef GFX950
typedef short i16x8 __attribute__((ext_vector_type(8)));
/// 16 independent matrix instructions a turn, 4 accumulators in turn.
KERNEL matrix(u32 turns, G float *out) {
  f32x4 a = 0, b = 0, c = 0, d = 0;
  i16x8 x = (i16x8)(short)ITEM;
  for (u32 i = 0; i < turns; ++i) {
#define ONE(ACC) "v_mfma_f32_16x16x32_bf16 " ACC ", %4, %4, " ACC "\n"
    __asm__ volatile(TIMES4(ONE("%0") ONE("%1") ONE("%2") ONE("%3"))
                     : "+v"(a), "+v"(b), "+v"(c), "+v"(d) : "v"(x));
  }
  __asm__ volatile("s_nop 15\n s_nop 15");
  out[ITEM] = a.x + b.x + c.x + d.x;
}
#else
/// 16 matrix instructions a turn on 4 accumulators in turn.
KERNEL matrix(u32 turns, G float *out) {
  f32x4 a = 0, b = 0, c = 0, d = 0;
  i16x4 x = (i16x4)(short)ITEM;
  for (u32 i = 0; i < turns; ++i) {
#define ONE(ACC) "v_mfma_f32_16x16x16_bf16 " ACC ", %4, %4, " ACC "\n"
    __asm__ volatile(TIMES4(ONE("%0") ONE("%1") ONE("%2") ONE("%3"))
                     : "+v"(a), "+v"(b), "+v"(c), "+v"(d) : "v"(x));
  }
  __asm__ volatile("s_nop 15\n s_nop 15");
  out[ITEM] = a.x + b.x + c.x + d.x;
}

/// The same work on one accumulator: chained, which costs nothing.
KERNEL matrix_chain(u32 turns, G float *out) {
  f32x4 a = 0;
  i16x4 x = (i16x4)(short)ITEM;
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile(TIMES16("v_mfma_f32_16x16x16_bf16 %0, %1, %1, %0\n") : "+v"(a) : "v"(x));
  __asm__ volatile("s_nop 15\n s_nop 15");
  out[ITEM] = a.x;
}
#undef ONE

/// The result is the A operand of the next: no chain.
KERNEL matrix_dependent(u32 turns, G float *out) {
  f32x4 a = 0, c = 0;
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile(TIMES16("v_mfma_f32_16x16x16_bf16 v[20:23], v[20:21], v[20:21], %1\n")
                     : "+v"(a) : "v"(c) : "v20", "v21", "v22", "v23");
  out[ITEM] = a.x;
}
#endif

/// 16 reads a turn from lane * stride; turns of the loop wait for all.
KERNEL lds(u32 turns, u32 stride, G u32 *out) {
  static L u32 memory[64 * 32] __attribute__((loader_uninitialized));
  memory[ITEM] = ITEM;
  u32 address = (u32)(unsigned long)(L char *)memory + (ITEM & 63) * stride * 4, sum = 0;
  for (u32 i = 0; i < turns; ++i) {
    u32 v;
    __asm__ volatile(TIMES16("ds_read_b32 %0, %1\n") "s_waitcnt lgkmcnt(0)" : "=v"(v) : "v"(address));
    sum += v;
  }
  out[ITEM] = sum;
}

/// 64 paddings of 8 wait states a turn.
KERNEL padding(u32 turns, G u32 *out) {
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile(TIMES4(TIMES16("s_nop 7\n")));
  out[ITEM] = turns;
}
KERNEL sleeping(u32 turns, G u32 *out) {
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile("s_sleep 10");
  out[ITEM] = turns;
}

KERNEL transcendental(u32 turns, G float *out) {
  float x = (float)ITEM, y;
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile(TIMES16("v_exp_f32 %0, %1\n") : "=v"(y) : "v"(x));
  out[ITEM] = y;
}
/// 16 full-rate operations and one s_nop 0, which a test makes an s_nop 15.
KERNEL vector(u32 turns, G u32 *out) {
  u32 x = ITEM, y;
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile("s_nop 0\n" TIMES16("v_add_u32 %0, %1, %1\n") : "=v"(y) : "v"(x));
  out[ITEM] = y;
}
/// Packed f32: two slots each, unless the profile says otherwise.
KERNEL packed(u32 turns, G float *out) {
  float __attribute__((ext_vector_type(2))) x = (float)ITEM, y;
  for (u32 i = 0; i < turns; ++i)
    __asm__ volatile(TIMES16("v_pk_mul_f32 %0, %1, %1\n") : "=v"(y) : "v"(x));
  out[ITEM] = y.x;
}

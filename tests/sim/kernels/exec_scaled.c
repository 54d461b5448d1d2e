// gfx950: one kernel for each pair of formats of the f8f6f4 matrix
// instructions, with and without scales. Operands are 8 dwords a lane, of which
// narrow formats use the first 6 or 4.
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
#define G __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel)) void
#define ITEM __builtin_amdgcn_workitem_id_x()

#define SHAPE(NAME, BUILTIN, CD, A, B)                                                        \
  KERNEL scaled_##NAME##_##A##_##B(G const i32x8 *a, G const i32x8 *b, G const CD *c, G CD *d, \
                                   G const int *scaleA, G const int *scaleB) {                \
    unsigned l = ITEM;                                                                        \
    d[l] = BUILTIN(a[l], b[l], c[l], A, B, (A + B) & 3, scaleA[l], (A + 2 * B + 1) & 3, scaleB[l]); \
  }                                                                                           \
  KERNEL plain_##NAME##_##A##_##B(G const i32x8 *a, G const i32x8 *b, G const CD *c, G CD *d,  \
                                  G const int *scaleA, G const int *scaleB) {                 \
    unsigned l = ITEM;                                                                        \
    d[l] = BUILTIN(a[l], b[l], c[l], A, B, 0, 0, 0, 0);                                       \
  }
#define SHAPES(A, B)                                                                          \
  SHAPE(16, __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4, f32x4, A, B)                    \
  SHAPE(32, __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4, f32x16, A, B)
#define ROW(A) SHAPES(A, 0) SHAPES(A, 1) SHAPES(A, 2) SHAPES(A, 3) SHAPES(A, 4)
ROW(0)
ROW(1)
ROW(2)
ROW(3)
ROW(4)

/// A uniform scale in a scalar register.
KERNEL scaled_uniform(G const i32x8 *a, G const i32x8 *b, G const f32x4 *c, G f32x4 *d, int scaleA, int scaleB) {
  unsigned l = ITEM;
  d[l] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[l], b[l], c[l], 0, 0, 0, scaleA, 1, scaleB);
}

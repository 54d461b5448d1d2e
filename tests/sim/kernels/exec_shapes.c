// Every dense and sparse matrix instruction of a target: A, B, C and D as the
// registers of each lane; sparse ones read an index register, too.
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef int i32x32 __attribute__((ext_vector_type(32)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x32 __attribute__((ext_vector_type(32)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef short i16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
#define G __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel)) void
#define ITEM __builtin_amdgcn_workitem_id_x()

#define MATRIX(NAME, AB, CD)                                                   \
  KERNEL NAME(G const AB *a, G const AB *b, G const CD *c, G CD *d) {          \
    unsigned l = ITEM;                                                         \
    d[l] = __builtin_amdgcn_mfma_##NAME(a[l], b[l], c[l], 0, 0, 0);            \
  }
#define SPARSE(NAME, A, B, CD, SET)                                            \
  KERNEL sparse_##NAME(G const A *a, G const B *b, G const CD *c, G CD *d, G const int *index) { \
    unsigned l = ITEM;                                                         \
    d[l] = __builtin_amdgcn_smfmac_##NAME(a[l], b[l], c[l], index[l], 0, SET); \
  }
MATRIX(f32_32x32x1f32, float, f32x32)
MATRIX(f32_16x16x1f32, float, f32x16)
MATRIX(f32_4x4x1f32, float, f32x4)
MATRIX(f32_32x32x2f32, float, f32x16)
MATRIX(f32_16x16x4f32, float, f32x4)
MATRIX(f32_32x32x4f16, f16x4, f32x32)
MATRIX(f32_16x16x4f16, f16x4, f32x16)
MATRIX(f32_4x4x4f16, f16x4, f32x4)
MATRIX(f32_32x32x8f16, f16x4, f32x16)
MATRIX(f32_16x16x16f16, f16x4, f32x4)
MATRIX(f32_32x32x4bf16_1k, i16x4, f32x32)
MATRIX(f32_16x16x4bf16_1k, i16x4, f32x16)
MATRIX(f32_4x4x4bf16_1k, i16x4, f32x4)
MATRIX(f32_32x32x8bf16_1k, i16x4, f32x16)
MATRIX(f32_16x16x16bf16_1k, i16x4, f32x4)
MATRIX(i32_32x32x4i8, int, i32x32)
MATRIX(i32_16x16x4i8, int, i32x16)
MATRIX(i32_4x4x4i8, int, i32x4)
MATRIX(i32_16x16x32_i8, long, i32x4)
MATRIX(i32_32x32x16_i8, long, i32x16)
MATRIX(f64_16x16x4f64, double, f64x4)
MATRIX(f64_4x4x4f64, double, double)
#define EIGHT(SHAPE, CD)                                                       \
  MATRIX(f32_##SHAPE##_fp8_fp8, long, CD)                                      \
  MATRIX(f32_##SHAPE##_fp8_bf8, long, CD)                                      \
  MATRIX(f32_##SHAPE##_bf8_fp8, long, CD)                                      \
  MATRIX(f32_##SHAPE##_bf8_bf8, long, CD)
EIGHT(16x16x32, f32x4)
EIGHT(32x32x16, f32x16)
#ifdef GFX950
MATRIX(f32_16x16x32_bf16, bf16x8, f32x4)
MATRIX(f32_32x32x16_bf16, bf16x8, f32x16)
MATRIX(f32_16x16x32_f16, f16x8, f32x4)
MATRIX(f32_32x32x16_f16, f16x8, f32x16)
MATRIX(i32_16x16x64_i8, i32x4, i32x4)
MATRIX(i32_32x32x32_i8, i32x4, i32x16)
#else
MATRIX(f32_16x16x8_xf32, f32x2, f32x4)
MATRIX(f32_32x32x4_xf32, f32x2, f32x16)
#endif
SPARSE(f32_16x16x32_f16, f16x4, f16x8, f32x4, 2)
SPARSE(f32_32x32x16_f16, f16x4, f16x8, f32x16, 3)
SPARSE(f32_16x16x32_bf16, i16x4, i16x8, f32x4, 0)
SPARSE(f32_32x32x16_bf16, i16x4, i16x8, f32x16, 1)
SPARSE(i32_16x16x64_i8, i32x2, i32x4, i32x4, 1)
SPARSE(i32_32x32x32_i8, i32x2, i32x4, i32x16, 0)
SPARSE(f32_16x16x64_fp8_bf8, i32x2, i32x4, f32x4, 0)
SPARSE(f32_32x32x32_bf8_fp8, i32x2, i32x4, f32x16, 1)

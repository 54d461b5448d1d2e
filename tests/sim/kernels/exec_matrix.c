// One kernel a matrix instruction: A, B, C and D as the registers of each lane.
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x32 __attribute__((ext_vector_type(32)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
#define G __attribute__((address_space(1)))

#define MATRIX(NAME, AB, CD)                                                   \
  __attribute__((amdgpu_kernel)) void NAME(G const AB *a, G const AB *b,       \
                                           G const CD *c, G CD *d) {           \
    u32 l = __builtin_amdgcn_workitem_id_x();                                  \
    d[l] = __builtin_amdgcn_mfma_##NAME(a[l], b[l], c[l], 0, 0, 0);            \
  }

#ifdef GFX950
typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
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
MATRIX(f32_16x16x16bf16_1k, i16x4, f32x4)
MATRIX(f32_32x32x8bf16_1k, i16x4, f32x16)
MATRIX(f32_16x16x16f16, f16x4, f32x4)
MATRIX(f32_32x32x8f16, f16x4, f32x16)
MATRIX(f32_16x16x4f32, float, f32x4)
MATRIX(f32_32x32x2f32, float, f32x16)
MATRIX(i32_16x16x32_i8, long, i32x4)
MATRIX(i32_32x32x16_i8, long, i32x16)
MATRIX(f32_16x16x32_fp8_fp8, long, f32x4)
MATRIX(f32_16x16x32_bf8_fp8, long, f32x4)
MATRIX(f32_32x32x16_fp8_bf8, long, f32x16)
MATRIX(f32_32x32x16_bf8_bf8, long, f32x16)
MATRIX(f64_16x16x4f64, double, f64x4)
MATRIX(f32_32x32x4bf16_1k, i16x4, f32x32)
MATRIX(f32_16x16x4bf16_1k, i16x4, f32x16)
MATRIX(f32_4x4x4bf16_1k, i16x4, f32x4)

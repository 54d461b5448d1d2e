// Loops that measure the simulator: matrix instructions, vector instructions.
typedef unsigned int u32;
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
#define KERNEL __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(64, 64))) void
#define G __attribute__((address_space(1)))

/// Four independent accumulators; 2 * 32 * 32 * 8 operations an instruction.
KERNEL matrix_loop(G const i16x4 *a, G const i16x4 *b, G f32x16 *out, u32 turns) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  i16x4 x = a[l], y = b[l];
  f32x16 c[4] = {0, 0, 0, 0};
  for (u32 i = 0; i < turns; ++i)
    for (u32 k = 0; k < 4; ++k)
      c[k] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, c[k], 0, 0, 0);
  out[__builtin_amdgcn_workgroup_id_x() * 64 + l] = c[0] + c[1] + c[2] + c[3];
}

/// Half integer, half float, as in address and activation code.
KERNEL vector_loop(G const float *in, G float *out, u32 turns) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  float f[4] = {in[l], in[l] + 1, in[l] + 2, in[l] + 3}, scale = in[64 + l];
  u32 u[4] = {l, l + 1, l + 2, l + 3}, step = l * 2654435761u;
  for (u32 i = 0; i < turns; ++i)
    for (u32 k = 0; k < 4; ++k) {
      f[k] = __builtin_fmaf(f[k], scale, 0.25f);
      f[k] = f[k] * scale;
      u[k] = (u[k] ^ step) + (u[k] << 3);
      u[k] = u[k] > step ? u[k] : step - u[k];
    }
  out[__builtin_amdgcn_workgroup_id_x() * 64 + l] = f[0] + f[1] + f[2] + f[3] + (float)(u[0] ^ u[1] ^ u[2] ^ u[3]);
}

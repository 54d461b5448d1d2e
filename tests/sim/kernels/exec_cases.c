// One kernel for each function of exec_cases.h: in[3 * i ..] -> out[N * i ..].
#define OUT __attribute__((address_space(1)))
#include "exec_cases.h"

#define KERNEL(NAME, CASE, OUTPUTS)                                            \
  __attribute__((amdgpu_kernel)) void NAME(OUT const u32 *in, OUT u32 *out,    \
                                           u32 count) {                        \
    u32 i = __builtin_amdgcn_workgroup_id_x() * 64 +                           \
            __builtin_amdgcn_workitem_id_x();                                  \
    if (i < count)                                                             \
      CASE(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + i * OUTPUTS);        \
  }

KERNEL(integer_cases, integerCase, INTEGER_OUTPUTS)
KERNEL(float_cases, floatCase, FLOAT_OUTPUTS)
KERNEL(control_cases, controlCase, CONTROL_OUTPUTS)

// HIP's language without its headers: kernels, __shared__, device globals.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
__device__ unsigned hipCounter = 5;

template <class T> __device__ T clampTo(T v, T low, T high) { return v < low ? low : v > high ? high : v; }

extern "C" __global__ void hip_smooth(const float *in, float *out, int count) {
  __shared__ float tile[66];
  int t = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * 64 + t;
  auto at = [&](int k) { return in[clampTo(k, 0, count - 1)]; };
  tile[t + 1] = at(i);
  if (t == 0)
    tile[0] = at(i - 1);
  if (t == 63)
    tile[65] = at(i + 1);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (i < count)
    out[i] = tile[t] * 0.25f + tile[t + 1] * 0.5f + tile[t + 2] * 0.25f;
  if (t == 0)
    __scoped_atomic_fetch_add(&hipCounter, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// C++ for the device: templates, lambdas, virtual calls avoided, constexpr.
using u32 = unsigned int;
#define G __attribute__((address_space(1)))

template <int N> struct Mixer {
  static constexpr u32 factor = Mixer<N - 1>::factor * 31 + 7;
  static u32 apply(u32 v) { return Mixer<N - 1>::apply(v ^ v >> N) * factor; }
};
template <> struct Mixer<0> {
  static constexpr u32 factor = 1;
  static u32 apply(u32 v) { return v; }
};

template <class F> static u32 repeat(u32 v, u32 times, F f) {
  for (u32 i = 0; i < times; ++i)
    v = f(v, i);
  return v;
}

extern "C" __attribute__((amdgpu_kernel)) void cpp_mix(G const u32 *in, G u32 *out, u32 rounds) {
  u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  out[i] = repeat(in[i], rounds, [=](u32 v, u32 k) { return Mixer<6>::apply(v + k) + rounds; });
}

// Binding, packing and unpacking the weights of one tensor.
#include "runtime/layer/weights.h"

#include <fmt/format.h>

namespace moec {
namespace {

/// Wave-wide 16-byte loads read the values, so both buffers start at one.
constexpr uintptr_t alignment = 16;

Status usage(const Tensor &tensor, const std::string &message) {
  return {ErrorCode::Usage, fmt::format("weights '{}': {}", tensor.name, message)};
}

Status checkBuffer(const Tensor &tensor, const char *what, const void *pointer,
                   uint64_t found, uint64_t expected) {
  if (found != expected)
    return usage(tensor,
                 fmt::format("the {} take {} bytes ({} experts, n {}, k {}, group "
                             "{}), found {}",
                             what, expected, tensor.shape[0], tensor.shape[1],
                             tensor.shape[2], tensor.group, found));
  if (expected && !pointer)
    return usage(tensor, fmt::format("the {} are a null pointer", what));
  if (reinterpret_cast<uintptr_t>(pointer) % alignment)
    return usage(tensor, fmt::format("the {} at {} are not aligned to {} bytes",
                                     what, pointer, alignment));
  return {};
}

} // namespace

Expected<Weights> Weights::bind(const Tensor &tensor,
                                const WeightBuffers &buffers) {
  const Layout *kernelSide = findLayout(tensor.layout);
  if (!kernelSide)
    return Status(ErrorCode::Unsupported,
                  fmt::format("weights '{}': the kernels read the layout '{}', this "
                              "library knows {}; use a newer libmoec",
                              tensor.name, tensor.layout, layoutNames()));
  const Layout *given = findLayout(buffers.layout);
  if (!given)
    return usage(tensor, fmt::format("unknown layout '{}'; known are {}",
                                     buffers.layout, layoutNames()));
  if (buffers.layout != tensor.layout &&
      !findConversion(buffers.layout, tensor.layout))
    return Status(ErrorCode::Unsupported,
                  fmt::format("weights '{}': no conversion from the layout '{}' to "
                              "'{}', which the kernels read",
                              tensor.name, buffers.layout, tensor.layout));
  if (buffers.scaleType != tensor.scaleType)
    return Status(
        ErrorCode::Unsupported,
        fmt::format("weights '{}': the kernels read scales of {}, found {}; make "
                    "the layer for the scale type of the checkpoint",
                    tensor.name,
                    tensor.scaleType.empty() ? "no type" : tensor.scaleType,
                    buffers.scaleType.empty() ? "none" : buffers.scaleType));

  Weights weights;
  weights.shape = {tensor.shape[1], tensor.shape[2], tensor.group};
  if (std::string why = kernelSide->check(weights.shape); !why.empty())
    return usage(tensor, why);
  uint64_t experts = uint64_t(tensor.shape[0]);
  if (kernelSide->valueBytes(weights.shape) * experts != tensor.bytes ||
      kernelSide->scaleBytes(weights.shape) * experts != tensor.scaleBytes)
    return Status(ErrorCode::Content,
                  fmt::format("weights '{}': the plan says {} + {} bytes, the layout "
                              "'{}' takes {} + {}; compile the bundle again",
                              tensor.name, tensor.bytes, tensor.scaleBytes,
                              tensor.layout,
                              kernelSide->valueBytes(weights.shape) * experts,
                              kernelSide->scaleBytes(weights.shape) * experts));
  if (Status s = checkBuffer(tensor, "values", buffers.values, buffers.valueBytes,
                             tensor.bytes);
      !s.ok())
    return s;
  if (Status s = checkBuffer(tensor, "scales", buffers.scales, buffers.scaleBytes,
                             tensor.scaleBytes);
      !s.ok())
    return s;

  weights.tensor = tensor;
  weights.memory = buffers;
  bool ready = buffers.layout == tensor.layout;
  PartState state;
  if (ready)
    state = {State::Packed, State::Packed};
  weights.experts.assign(experts, state);
  weights.pending = ready ? 0 : int64_t(experts);
  return weights;
}

uint64_t Weights::partBytes(WeightPart part) const {
  return (part == WeightPart::Values ? tensor.bytes : tensor.scaleBytes) /
         experts.size();
}

void *Weights::partPointer(WeightPart part, int64_t expert) const {
  void *base = part == WeightPart::Values ? memory.values : memory.scales;
  return static_cast<uint8_t *>(base) + uint64_t(expert) * partBytes(part);
}

Status Weights::where(int64_t expert, const Status &status) const {
  return status.withContext(
      fmt::format("weights '{}', expert {}", tensor.name, expert));
}

Status Weights::packPart(const Device &device, WeightPart part, int64_t expert,
                         State &state) {
  if (state == State::Packed || partBytes(part) == 0) {
    state = State::Packed;
    return {};
  }
  if (state == State::Torn)
    return where(expert, {ErrorCode::Device,
                          "an error interrupted the write of this expert; write "
                          "its source bytes again and bind the weights anew"});
  const Conversion &conversion = *findConversion(memory.layout, tensor.layout);
  void *pointer = partPointer(part, expert);
  if (!memory.onDevice) {
    convertExpert(conversion, part, shape, pointer, pointer);
    state = State::Packed;
    return {};
  }
  uint64_t bytes = partBytes(part);
  std::unique_ptr<uint32_t[]> scratch(new uint32_t[(bytes + 3) / 4]);
  if (Status s = device.copy(scratch.get(), pointer, bytes); !s.ok())
    return where(expert, s);
  convertExpert(conversion, part, shape, scratch.get(), scratch.get());
  if (Status s = device.copy(pointer, scratch.get(), bytes); !s.ok()) {
    state = State::Torn;
    return where(expert, s);
  }
  state = State::Packed;
  return {};
}

Status Weights::pack(const Device &device, int64_t first, int64_t count) {
  int64_t total = int64_t(experts.size());
  if (first < 0 || count < 0 || first > total || count > total - first)
    return usage(tensor, fmt::format("experts {} to {} are outside of [0, {})",
                                     first, first + count, total));
  for (int64_t expert = first; expert < first + count; ++expert) {
    PartState &state = experts[size_t(expert)];
    if (state.values == State::Packed && state.scales == State::Packed)
      continue;
    if (Status s = packPart(device, WeightPart::Values, expert, state.values);
        !s.ok())
      return s;
    if (Status s = packPart(device, WeightPart::Scales, expert, state.scales);
        !s.ok())
      return s;
    --pending;
  }
  return {};
}

Status Weights::unpack(const Device &device, const std::string &layout,
                       int64_t expert, void *values, uint64_t valueBytes,
                       void *scales, uint64_t scaleBytes) const {
  if (expert < 0 || expert >= int64_t(experts.size()))
    return usage(tensor, fmt::format("expert {} is outside of [0, {})", expert,
                                     experts.size()));
  const Conversion *conversion = findConversion(tensor.layout, layout);
  if (!conversion)
    return usage(tensor, fmt::format("no conversion from '{}' to '{}'; known are {}",
                                     tensor.layout, layout, layoutNames()));
  const PartState &state = experts[size_t(expert)];
  if (state.values != State::Packed || state.scales != State::Packed)
    return usage(tensor, fmt::format("expert {} is not packed", expert));
  struct {
    WeightPart part;
    void *to;
    uint64_t bytes;
  } parts[] = {{WeightPart::Values, values, valueBytes},
               {WeightPart::Scales, scales, scaleBytes}};
  for (const auto &p : parts)
    if (p.bytes != partBytes(p.part) || (p.bytes && !p.to))
      return usage(tensor,
                   fmt::format("the {} of an expert take {} bytes, found {}{}",
                               p.part == WeightPart::Values ? "values" : "scales",
                               partBytes(p.part), p.bytes,
                               p.to ? "" : " at a null pointer"));
  for (const auto &p : parts) {
    if (p.bytes == 0)
      continue;
    const void *from = partPointer(p.part, expert);
    if (memory.onDevice) {
      if (Status s = device.copy(p.to, from, p.bytes); !s.ok())
        return where(expert, s);
      from = p.to;
    }
    convertExpert(*conversion, p.part, shape, from, p.to);
  }
  return {};
}

} // namespace moec

// The weights of one tensor of a layer: where they are and how they are laid out.
//
// The memory is the caller's. Packing rewrites it in place, expert by expert,
// values and scales, and records what is done, so that it may come in ranges and
// go on after an error (R23). A layout is never guessed (R13).
#pragma once

#include "runtime/device/device.h"
#include "runtime/layer/layout.h"

namespace moec {

/// Buffers of one tensor, [experts, ...] each.
struct WeightBuffers {
  void *values = nullptr;
  uint64_t valueBytes = 0;
  void *scales = nullptr; ///< Null for formats without scales.
  uint64_t scaleBytes = 0;
  std::string layout;    ///< Of the bytes as they are now.
  std::string scaleType; ///< Of the scales, "" for none.
  bool onDevice = false;
};

class Weights {
public:
  /// Checks the buffers against what `tensor` needs.
  static Expected<Weights> bind(const Tensor &tensor,
                                const WeightBuffers &buffers);

  /// Packs experts [first, first + count) from the bound layout to the
  /// tensor's. Experts that are packed already are skipped.
  Status pack(const Device &device, int64_t first, int64_t count);

  /// Writes one packed expert to `values` and `scales`, host memory, in
  /// `layout`.
  Status unpack(const Device &device, const std::string &layout, int64_t expert,
                void *values, uint64_t valueBytes, void *scales,
                uint64_t scaleBytes) const;

  const WeightBuffers &buffers() const { return memory; }
  const std::string &layout() const { return tensor.layout; }
  /// Number of experts that still have to be packed.
  int64_t unpacked() const { return pending; }

private:
  /// Torn: an error came while it was being written back.
  enum class State : uint8_t { Source, Packed, Torn };
  struct PartState {
    State values = State::Source, scales = State::Source;
  };

  Status packPart(const Device &device, WeightPart part, int64_t expert,
                  State &state);
  Status where(int64_t expert, const Status &status) const;
  void *partPointer(WeightPart part, int64_t expert) const;
  uint64_t partBytes(WeightPart part) const;

  Tensor tensor;
  WeightBuffers memory;
  WeightShape shape;
  std::vector<PartState> experts;
  int64_t pending = 0;
};

} // namespace moec

// A layer, or one stage of it, on a device: what an engine does with libmoec.
//
// Goes through the public C API only, with the simulator as with a GPU. Weights
// are made from the seed, packed in place and never kept.
#pragma once

#include "runtime/include/moec/moec.h"
#include "tools/moec/device_memory.h"
#include "tools/moec/operands.h"

#include <memory>

namespace moec::tool {

struct LayerOptions {
  std::string device = "sim";          ///< "sim" or "hip".
  std::string target;                  ///< "": whatever the device is.
  std::string bundleFile;              ///< "": none.
  const std::string *bundle = nullptr; ///< Bytes of a bundle, or null.
  std::string plan; ///< Its plan, "": the only one for the problem.
  uint64_t seed = 0;
  std::vector<int64_t> tokens; ///< What will be run.
};

/// Tokens of one run on the device.
struct LayerResult {
  std::vector<float> values; ///< The output, row-major.
  std::vector<bool> untouched; ///< Rows of it that still hold the poison.
  double seconds = 0;        ///< Launches and waiting for them.
};

/// "sim" or "hip"; an error for others that says what there is.
Status checkDevice(const std::string &device);

class Layer {
public:
  /// Opens the device, makes and packs the weights, prepares the buckets.
  static Expected<Layer> create(const Problem &problem,
                                const LayerOptions &options);

  /// Runs once, with outputs and workspace poisoned.
  Expected<LayerResult> run(const Operands &operands) const;

  const std::vector<Tensor> &tensors() const { return described; }
  const Tensor &output() const;
  std::string target() const { return moec_context_target(context.get()); }
  std::string hipLibrary() const {
    return moec_context_hip_library(context.get());
  }

private:
  struct DestroyContext {
    void operator()(moec_context *c) const { moec_context_destroy(c); }
  };
  struct DestroyLayer {
    void operator()(moec_layer *l) const { moec_layer_destroy(l); }
  };

  Status openContext(const LayerOptions &options);
  Status openLayer(const Problem &problem, const LayerOptions &options);
  Status describe();
  Status loadWeights(uint64_t seed);
  Status loadTensor(const Tensor &tensor, uint64_t seed);
  Status prepare(const LayerOptions &options);

  std::unique_ptr<moec_context, DestroyContext> context;
  HipMemory memory;
  std::vector<DeviceBuffer> weights;
  std::unique_ptr<moec_layer, DestroyLayer> layer;
  std::vector<Tensor> described;
  bool hasBundle = false; ///< Then nothing is compiled.
};

} // namespace moec::tool

// A layer: its weights, its prepared launches, and carrying them out.
//
// The layer knows no stage and no tensor by name: a plan lists the tensors that
// a caller must supply and the launches that use them.
#pragma once

#include "runtime/layer/context.h"
#include "runtime/layer/launch_record.h"
#include "runtime/layer/weights.h"

#include <functional>

namespace moec {

/// A tensor of one forward.
struct TensorArgument {
  const char *name;
  void *data;
};

struct ForwardArguments {
  int64_t tokens = 0;
  std::span<const TensorArgument> tensors;
  void *workspace = nullptr; ///< Null: the one made by prepare.
  uint64_t workspaceBytes = 0;
  void *stream = nullptr;
};

struct PrepareOptions {
  std::vector<int64_t> buckets; ///< Empty: all that are at hand.
  bool ownWorkspace = false;
  std::function<void(int64_t done, int64_t total)> progress; ///< May be empty.
};

/// Not for several threads at once, except that const calls may run together.
class Layer {
public:
  /// `firstBucket`: what is compiled if the tensors are asked for before any
  /// plan is at hand; one that will be prepared costs nothing extra.
  Layer(Context &context, PlanQuery query, int64_t firstBucket)
      : context(context), query(std::move(query)), firstBucket(firstBucket) {}

  /// Tensors of the layer's plans. May compile one plan if none is at hand.
  Expected<const std::vector<Tensor> *> tensors();

  Status bindWeights(const std::string &tensor, const WeightBuffers &buffers);
  Status packWeights(const std::string &tensor, int64_t first, int64_t count);
  Expected<const Weights *> weights(const std::string &tensor) const;
  const Device &device() const { return context.device(); }

  Status prepare(const PrepareOptions &options);
  std::vector<int64_t> preparedBuckets() const;
  /// Bytes for up to `tokens`; for all prepared buckets if negative.
  Expected<uint64_t> workspaceBytes(int64_t tokens) const;

  Status forward(const ForwardArguments &arguments) const;

private:
  /// One bucket in launch order. The records live in `table`; the keys beside
  /// the pointers are for errors.
  struct Program {
    int64_t bucket = 0, passTokens = 0;
    uint64_t workspaceBytes = 0;
    std::vector<std::pair<RecordKey, const LaunchRecord *>> launches;
  };
  using Pointers = std::span<uint8_t *const>;

  Expected<const std::vector<Tensor> *> tensors(int64_t bucketIfNone);
  Status checkTensors(const Plan &plan) const;
  Status requireBound() const;
  Expected<Program> load(const PlanRef &ref);
  Expected<LaunchRecord> makeRecord(const Bundle &bundle, const Launch &launch);
  RecordKey keyOf(const Plan &plan, const Kernel &kernel,
                  const Launch &launch) const;
  const void *weightsPointer(const std::string &name) const;
  const Program *programFor(int64_t tokens) const;
  Status notPrepared(int64_t tokens) const;
  Status resolve(const ForwardArguments &arguments, uint8_t **pointers) const;
  Status checkWorkspace(const Program &program, const void *workspace,
                        uint64_t bytes) const;
  Status launchPass(const Program &program, Pointers pointers,
                    uint8_t *workspace, int64_t firstToken, int64_t tokens,
                    void *stream) const;

  Context &context;
  PlanQuery query;
  int64_t firstBucket;
  std::vector<Tensor> described; ///< All tensors; empty until known.
  std::vector<Tensor> arguments; ///< Inputs and outputs among them.
  std::map<std::string, Weights> bound;
  std::map<RecordKey, std::vector<LaunchRecord>> table;
  std::vector<Program> programs; ///< Ascending by bucket; for `bound` as it is.
  /// Of prepare, the last is the one in use. The smaller ones before it stay
  /// until the end: a captured graph may still launch kernels that use them.
  std::vector<DeviceMemory> workspaces;
};

} // namespace moec

// Plays the engine: context, layer, weights, prepare, forward; see layer.h.
#include "tools/moec/layer.h"

#include "runtime/bundle/element_type.h"
#include "tools/moec/compiler_library.h"
#include "tools/moec/problems.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace moec::tool {

/// Takes an error of the C API over.
static Status take(moec_error *error) {
  if (!error)
    return {};
  Status status(ErrorCode(moec_error_get_code(error)),
                moec_error_get_message(error));
  moec_error_destroy(error);
  return status;
}

Status checkDevice(const std::string &device) {
  if (device == "sim" || device == "hip")
    return {};
  if (device == "cuda")
    return Status(ErrorCode::Unsupported,
                  "--device=cuda: this release has no NVIDIA target; use sim "
                  "or hip");
  return Status(
      ErrorCode::Usage,
      fmt::format("--device={}: unknown device; known: sim, hip", device));
}

Expected<Layer> Layer::create(const Problem &problem,
                              const LayerOptions &options) {
  Layer layer;
  if (Status s = layer.openContext(options); !s.ok())
    return s;
  if (Status s = layer.openLayer(problem, options); !s.ok())
    return s;
  if (Status s = layer.describe(); !s.ok())
    return s;
  if (Status s = layer.loadWeights(options.seed); !s.ok())
    return s;
  if (Status s = layer.prepare(options); !s.ok())
    return s;
  return layer;
}

Status Layer::openContext(const LayerOptions &options) {
  std::string library, worker = executableDirectory() + "/moec";
  bool simulated = options.device == "sim";
  if (simulated) {
    library = executableDirectory() + "/../lib/libhipsim.so";
    // The simulator becomes what the kernels are for, unless told otherwise.
    if (!options.target.empty())
      setenv("HIPSIM_ARCH", options.target.c_str(), /*overwrite=*/0);
  }
  hasBundle = !options.bundleFile.empty() || options.bundle;
  moec_context_options opened = {};
  opened.struct_size = sizeof(opened);
  opened.hip_library = simulated ? library.c_str() : nullptr;
  opened.never_compile = hasBundle;
  opened.worker = std::getenv("MOEC_WORKER") ? nullptr : worker.c_str();
  opened.log = [](void *, const char *text) { spdlog::info("moec: {}", text); };
  moec_context *made = nullptr;
  if (Status s = take(moec_context_create(&opened, &made)); !s.ok())
    return s;
  context.reset(made);
  if (!options.target.empty() && target() != options.target)
    return Status(ErrorCode::Unsupported,
                  fmt::format("the device of {} is a {}, asked for {}",
                              hipLibrary(), target(), options.target));
  Expected<HipMemory> hip = HipMemory::open(hipLibrary());
  if (!hip)
    return hip.status();
  memory = hip.take();
  if (options.bundle)
    return take(moec_context_add_bundle(made, options.bundle->data(),
                                        options.bundle->size()));
  if (!options.bundleFile.empty())
    return take(moec_context_add_bundle_file(made, options.bundleFile.c_str()));
  return {};
}

/// Without a bundle: the buckets of the known sets that hold the tokens.
static std::vector<int64_t> bucketsFor(const std::vector<int64_t> &tokens) {
  std::vector<int64_t> known, buckets;
  for (const char *set : {"decode", "prefill"}) {
    std::vector<int64_t> part = resolveBuckets(set).take();
    known.insert(known.end(), part.begin(), part.end());
  }
  for (int64_t count : tokens) {
    auto found = std::lower_bound(known.begin(), known.end(), count);
    int64_t bucket = found == known.end() ? count : *found;
    if (std::find(buckets.begin(), buckets.end(), bucket) == buckets.end())
      buckets.push_back(bucket);
  }
  return buckets;
}

Status Layer::openLayer(const Problem &problem, const LayerOptions &options) {
  moec_problem p = {};
  p.struct_size = sizeof(p);
  p.hidden = problem.hidden;
  p.inter = problem.inter;
  p.experts = problem.experts;
  p.topk = problem.topk;
  p.group = problem.group;
  p.weights = problem.weights.c_str();
  p.scale = problem.scale.c_str();
  p.act_dtype = problem.actDtype.c_str();
  p.act_fn = problem.actFn.c_str();
  p.bias = problem.bias;
  auto give = [&](const std::optional<double> &from, double &to, uint32_t bit) {
    if (from) {
      to = *from;
      p.given |= bit;
    }
  };
  give(problem.alpha, p.alpha, MOEC_GIVEN_ALPHA);
  give(problem.beta, p.beta, MOEC_GIVEN_BETA);
  give(problem.limit, p.limit, MOEC_GIVEN_LIMIT);
  moec_layer_options choice = {};
  choice.struct_size = sizeof(choice);
  choice.plan = options.plan.empty() ? nullptr : options.plan.c_str();
  choice.first_bucket = hasBundle ? 0 : bucketsFor(options.tokens).front();
  moec_layer *made = nullptr;
  Status status = take(moec_layer_create(context.get(), &p, &choice, &made));
  layer.reset(made);
  return status;
}

Status Layer::describe() {
  size_t count = 0;
  if (Status s = take(moec_layer_tensor_count(layer.get(), &count)); !s.ok())
    return s;
  for (size_t i = 0; i < count; ++i) {
    moec_tensor_info info = {};
    info.struct_size = sizeof(info);
    if (Status s = take(moec_layer_tensor(layer.get(), i, &info)); !s.ok())
      return s;
    Tensor tensor;
    tensor.name = info.name;
    tensor.role = info.role;
    tensor.dtype = info.dtype;
    tensor.layout = info.layout;
    tensor.scaleType = info.scale_type;
    tensor.shape.assign(info.shape, info.shape + info.rank);
    tensor.group = info.group;
    tensor.bytes = info.values_bytes;
    tensor.scaleBytes = info.scales_bytes;
    described.push_back(std::move(tensor));
  }
  if (tensorsOf(described, "output").size() == 1)
    return {};
  return Status(
      ErrorCode::Unsupported,
      fmt::format("the layer has {} outputs; moec runs layers with one",
                  tensorsOf(described, "output").size()));
}

const Tensor &Layer::output() const {
  return *tensorsOf(described, "output").front();
}

/// Makes experts [first, first + count) of a tensor in host memory.
static void makeExperts(const Tensor &tensor, uint64_t seed, int64_t first,
                        int64_t count, unsigned char *values,
                        unsigned char *scales) {
  ExpertBytes bytes = expertBytes(tensor);
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t i; (i = next++) < count;)
      fillExpert(tensor, seed, first + i, values + size_t(i) * bytes.values,
                 scales + size_t(i) * bytes.scales);
  };
  std::vector<std::jthread> threads;
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < std::min<unsigned>(cores, unsigned(count)); ++i)
    threads.emplace_back(work);
  work();
}

Status Layer::loadTensor(const Tensor &tensor, uint64_t seed) {
  Expected<DeviceBuffer> values = DeviceBuffer::make(memory, tensor.bytes);
  if (!values)
    return values.status();
  Expected<DeviceBuffer> scales = DeviceBuffer::make(memory, tensor.scaleBytes);
  if (!scales)
    return scales.status();
  moec_weights bound = {};
  bound.struct_size = sizeof(bound);
  bound.tensor = tensor.name.c_str();
  bound.layout = "ct_pack";
  bound.values = values->data();
  bound.values_bytes = tensor.bytes;
  bound.scales = scales->data();
  bound.scales_bytes = tensor.scaleBytes;
  bound.scale_type = tensor.scaleType.c_str();
  bound.memory = MOEC_MEMORY_DEVICE;
  if (Status s = take(moec_layer_bind_weights(layer.get(), &bound)); !s.ok())
    return s;

  // A few experts at a time: made on all cores, copied, packed in place.
  ExpertBytes bytes = expertBytes(tensor);
  int64_t experts = tensor.shape.front();
  constexpr int64_t chunk = 16;
  std::vector<unsigned char> hostValues(chunk * bytes.values);
  std::vector<unsigned char> hostScales(chunk * bytes.scales);
  Progress progress(fmt::format("weights {}", tensor.name));
  for (int64_t first = 0; first < experts; first += chunk) {
    int64_t count = std::min(chunk, experts - first);
    makeExperts(tensor, seed, first, count, hostValues.data(),
                hostScales.data());
    if (Status s = memory.copy(values->data() + size_t(first) * bytes.values,
                               hostValues.data(), size_t(count) * bytes.values);
        !s.ok())
      return s;
    if (Status s = memory.copy(scales->data() + size_t(first) * bytes.scales,
                               hostScales.data(), size_t(count) * bytes.scales);
        !s.ok())
      return s;
    if (Status s = take(moec_layer_pack_weights(
            layer.get(), tensor.name.c_str(), first, count));
        !s.ok())
      return s;
    progress.update(uint64_t(first + count), uint64_t(experts));
  }
  weights.push_back(values.take());
  weights.push_back(scales.take());
  return {};
}

Status Layer::loadWeights(uint64_t seed) {
  for (const Tensor *tensor : tensorsOf(described, "weights")) {
    if (tensor->dtype != "int4" || tensor->scaleType != "bf16")
      return Status(
          ErrorCode::Unsupported,
          fmt::format("weights '{}' are {} with {} scales; moec makes "
                      "up int4 weights with bf16 scales",
                      tensor->name, tensor->dtype, tensor->scaleType));
    if (Status s = loadTensor(*tensor, seed); !s.ok())
      return s;
  }
  return {};
}

Status Layer::prepare(const LayerOptions &options) {
  std::vector<int64_t> buckets;
  if (!hasBundle)
    buckets = bucketsFor(options.tokens);
  Progress progress("preparing");
  moec_prepare_options asked = {};
  asked.struct_size = sizeof(asked);
  asked.buckets = buckets.data();
  asked.bucket_count = buckets.size();
  asked.progress = [](void *user, int64_t done, int64_t total) {
    static_cast<Progress *>(user)->update(uint64_t(done), uint64_t(total));
  };
  asked.progress_user = &progress;
  return take(moec_layer_prepare(layer.get(), &asked));
}

static std::vector<float> toFloats(const std::string &bytes,
                                   const std::string &dtype) {
  size_t size = elementBytes(dtype);
  std::vector<float> values(bytes.size() / size);
  if (dtype == "f32") {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    values[i] = bf16ToFloat(bits);
  }
  return values;
}

/// Which rows of `columns` elements of `element` bytes are as poison() left them.
static std::vector<bool> untouchedRows(const std::string &bytes, size_t columns,
                                       size_t element) {
  size_t rowBytes = columns * element;
  std::string poison(rowBytes, '\xff');
  std::vector<bool> untouched(bytes.size() / rowBytes);
  for (size_t row = 0; row < untouched.size(); ++row)
    untouched[row] =
        std::memcmp(&bytes[row * rowBytes], poison.data(), rowBytes) == 0;
  return untouched;
}

Expected<LayerResult> Layer::run(const Operands &operands) const {
  std::vector<DeviceBuffer> buffers;
  std::vector<moec_tensor> arguments;
  auto add = [&](const char *name, size_t bytes) -> Expected<unsigned char *> {
    Expected<DeviceBuffer> buffer = DeviceBuffer::make(memory, bytes);
    if (!buffer)
      return buffer.status();
    buffers.push_back(buffer.take());
    arguments.push_back({name, buffers.back().data()});
    return buffers.back().data();
  };
  for (const InputTensor &input : operands.inputs) {
    Expected<unsigned char *> at = add(input.name.c_str(), input.bytes.size());
    if (!at)
      return at.status();
    if (Status s = memory.copy(*at, input.bytes.data(), input.bytes.size());
        !s.ok())
      return s;
  }
  size_t element = elementBytes(output().dtype);
  if (output().dtype != "bf16" && output().dtype != "f32")
    return Status(ErrorCode::Unsupported,
                  fmt::format("output '{}' is {}; moec compares bf16 and f32",
                              output().name, output().dtype));
  size_t outBytes =
      size_t(operands.tokens * elementsPerToken(output())) * element;
  Expected<unsigned char *> out = add(output().name.c_str(), outBytes);
  if (!out)
    return out.status();
  uint64_t workspaceBytes = 0;
  if (Status s = take(moec_layer_workspace_bytes(layer.get(), operands.tokens,
                                                 &workspaceBytes));
      !s.ok())
    return s;
  Expected<DeviceBuffer> workspace = DeviceBuffer::make(memory, workspaceBytes);
  if (!workspace)
    return workspace.status();
  if (Status s = memory.poison(*out, outBytes); !s.ok())
    return s;
  if (Status s = memory.poison(workspace->data(), workspaceBytes); !s.ok())
    return s;

  moec_forward_args args = {};
  args.struct_size = sizeof(args);
  args.tokens = operands.tokens;
  args.tensors = arguments.data();
  args.tensor_count = arguments.size();
  args.workspace = workspace->data();
  args.workspace_bytes = workspaceBytes;
  auto started = std::chrono::steady_clock::now();
  if (Status s = take(moec_layer_forward(layer.get(), &args)); !s.ok())
    return s;
  std::string bytes(outBytes, '\0');
  if (Status s = memory.copy(bytes.data(), *out, outBytes); !s.ok())
    return s;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - started;
  return LayerResult{
      toFloats(bytes, output().dtype),
      untouchedRows(bytes, size_t(output().shape.back()), element),
      elapsed.count()};
}

} // namespace moec::tool

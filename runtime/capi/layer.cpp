// moec_layer: conversions only, the work is in layer/layer.h.
#include "runtime/capi/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

using namespace moec;
using namespace moec::capi;

/// Standard tensors and room for as many as a layer can have.
static constexpr size_t standardTensors = 4, maxTensors = 64;
/// Whole blocks of 16 tokens: a bucket that most callers prepare anyway.
static constexpr int64_t defaultFirstBucket = 16;

extern "C" {

moec_error *moec_layer_create(moec_context *context, const moec_problem *problem,
                              const moec_layer_options *options,
                              moec_layer **layer) {
  return guarded([&]() -> Status {
    if (!context || !layer)
      return nullArgument(context ? "layer" : "context");
    moec_layer_options c{};
    if (options)
      if (Status s = readStruct("moec_layer_options", options,
                                offsetof(moec_layer_options, first_bucket), c);
          !s.ok())
        return s;
    Expected<Problem> parsed = readProblem(problem);
    if (!parsed)
      return parsed.status();
    if (Status s = requireProblem(*parsed); !s.ok())
      return s;
    PlanQuery query{orDefault(c.plan, ""), orDefault(c.standalone, ""),
                    parsed.take()};
    if (c.first_bucket < 0 || c.first_bucket > INT32_MAX)
      return {ErrorCode::Usage,
              fmt::format("moec_layer_options.first_bucket is {}; it must be 0 to {}",
                          c.first_bucket, INT32_MAX)};
    int64_t bucket = c.first_bucket ? c.first_bucket : defaultFirstBucket;
    *layer = new moec_layer{Layer(*context->impl, std::move(query), bucket)};
    return {};
  });
}

void moec_layer_destroy(moec_layer *layer) { delete layer; }

moec_error *moec_layer_tensor_count(moec_layer *layer, size_t *count) {
  return guarded([&]() -> Status {
    if (!layer || !count)
      return nullArgument(layer ? "count" : "layer");
    Expected<const std::vector<Tensor> *> tensors = layer->impl.tensors();
    if (!tensors)
      return tensors.status();
    *count = (*tensors)->size();
    return {};
  });
}

moec_error *moec_layer_tensor(moec_layer *layer, size_t index,
                              moec_tensor_info *info) {
  return guarded([&]() -> Status {
    if (!layer)
      return nullArgument("layer");
    if (Status s = checkStruct("moec_tensor_info", info, sizeof(moec_tensor_info),
                               sizeof(moec_tensor_info));
        !s.ok())
      return s;
    Expected<const std::vector<Tensor> *> tensors = layer->impl.tensors();
    if (!tensors)
      return tensors.status();
    if (index >= (*tensors)->size())
      return {ErrorCode::Usage, fmt::format("tensor {} of {}", index,
                                            (*tensors)->size())};
    const Tensor &tensor = (**tensors)[index];
    size_t size = info->struct_size;
    *info = moec_tensor_info{};
    info->struct_size = size;
    info->name = tensor.name.c_str();
    info->role = tensor.role.c_str();
    info->dtype = tensor.dtype.c_str();
    info->layout = tensor.layout.c_str();
    info->scale_type = tensor.scaleType.c_str();
    info->rank = int32_t(std::min<size_t>(tensor.shape.size(), 4));
    std::copy_n(tensor.shape.begin(), info->rank, info->shape);
    info->group = tensor.group;
    info->values_bytes = tensor.bytes;
    info->scales_bytes = tensor.scaleBytes;
    return {};
  });
}

moec_error *moec_layer_bind_weights(moec_layer *layer,
                                    const moec_weights *weights) {
  return guarded([&]() -> Status {
    if (!layer)
      return nullArgument("layer");
    moec_weights c;
    if (Status s =
            readStruct("moec_weights", weights, sizeof(moec_weights), c);
        !s.ok())
      return s;
    if (!c.tensor || !c.layout)
      return nullArgument(c.tensor ? "moec_weights.layout" : "moec_weights.tensor");
    if (c.memory != MOEC_MEMORY_HOST && c.memory != MOEC_MEMORY_DEVICE)
      return {ErrorCode::Usage, fmt::format("moec_weights.memory is {}; it must be "
                                            "MOEC_MEMORY_HOST or _DEVICE",
                                            int(c.memory))};
    WeightBuffers buffers;
    buffers.values = c.values;
    buffers.valueBytes = c.values_bytes;
    buffers.scales = c.scales;
    buffers.scaleBytes = c.scales_bytes;
    buffers.layout = c.layout;
    buffers.scaleType = orDefault(c.scale_type, "bf16");
    buffers.onDevice = c.memory == MOEC_MEMORY_DEVICE;
    return layer->impl.bindWeights(c.tensor, buffers);
  });
}

moec_error *moec_layer_pack_weights(moec_layer *layer, const char *tensor,
                                    int64_t first, int64_t count) {
  return guarded([&]() -> Status {
    if (!layer || !tensor)
      return nullArgument(layer ? "tensor" : "layer");
    return layer->impl.packWeights(tensor, first, count);
  });
}

moec_error *moec_layer_unpack_weights(const moec_layer *layer, const char *tensor,
                                      const char *layout, int64_t expert,
                                      void *values, size_t values_bytes,
                                      void *scales, size_t scales_bytes) {
  return guarded([&]() -> Status {
    if (!layer || !tensor || !layout)
      return nullArgument(!layer ? "layer" : !tensor ? "tensor" : "layout");
    Expected<const Weights *> weights = layer->impl.weights(tensor);
    if (!weights)
      return weights.status();
    return (*weights)->unpack(layer->impl.device(), layout, expert, values,
                              values_bytes, scales, scales_bytes);
  });
}

moec_error *moec_layer_prepare(moec_layer *layer,
                               const moec_prepare_options *options) {
  return guarded([&]() -> Status {
    if (!layer)
      return nullArgument("layer");
    moec_prepare_options c{};
    if (options)
      if (Status s = readStruct("moec_prepare_options", options,
                                sizeof(moec_prepare_options), c);
          !s.ok())
        return s;
    if (c.bucket_count && !c.buckets)
      return nullArgument("moec_prepare_options.buckets");
    PrepareOptions prepare;
    if (c.bucket_count)
      prepare.buckets.assign(c.buckets, c.buckets + c.bucket_count);
    prepare.ownWorkspace = c.own_workspace != 0;
    if (c.progress)
      prepare.progress = [&c](int64_t done, int64_t total) {
        c.progress(c.progress_user, done, total);
      };
    return layer->impl.prepare(prepare);
  });
}

moec_error *moec_layer_prepared_buckets(const moec_layer *layer,
                                        int64_t *buckets, size_t capacity,
                                        size_t *count) {
  return guarded([&]() -> Status {
    if (!layer || !count || (capacity && !buckets))
      return nullArgument(!layer ? "layer" : !count ? "count" : "buckets");
    std::vector<int64_t> ready = layer->impl.preparedBuckets();
    std::copy_n(ready.begin(), std::min(capacity, ready.size()), buckets);
    *count = ready.size();
    return {};
  });
}

moec_error *moec_layer_workspace_bytes(const moec_layer *layer, int64_t tokens,
                                       uint64_t *bytes) {
  return guarded([&]() -> Status {
    if (!layer || !bytes)
      return nullArgument(layer ? "bytes" : "layer");
    Expected<uint64_t> size = layer->impl.workspaceBytes(tokens);
    if (!size)
      return size.status();
    *bytes = *size;
    return {};
  });
}

moec_error *moec_layer_forward(const moec_layer *layer,
                               const moec_forward_args *args) {
  return guarded([&]() -> Status {
    if (!layer)
      return nullArgument("layer");
    moec_forward_args c;
    if (Status s = readStruct("moec_forward_args", args,
                              sizeof(moec_forward_args), c);
        !s.ok())
      return s;
    if (c.tensor_count && !c.tensors)
      return nullArgument("moec_forward_args.tensors");
    if (c.tensor_count > maxTensors)
      return {ErrorCode::Usage,
              fmt::format("moec_forward_args.tensor_count is {}, at most {}",
                          c.tensor_count, maxTensors)};
    // On the stack: a forward does not allocate.
    TensorArgument tensors[maxTensors + standardTensors];
    size_t count = 0;
    auto add = [&](const char *name, const void *data) {
      if (name && data)
        tensors[count++] = {name, const_cast<void *>(data)};
    };
    for (size_t i = 0; i < c.tensor_count; ++i)
      add(c.tensors[i].name, c.tensors[i].data);
    add("x", c.x);
    add("topk_ids", c.topk_ids);
    add("topk_weights", c.topk_weights);
    add("out", c.out);
    return layer->impl.forward({c.tokens, {tensors, count}, c.workspace,
                                c.workspace_bytes, c.stream});
  });
}

} // extern "C"

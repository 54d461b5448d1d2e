// Preparing a layer: tensors, weights, launch records. forward.cpp carries the
// records out.
#include "runtime/layer/layer.h"

#include "runtime/bundle/element_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace moec {
namespace {

constexpr size_t maxArguments = 64;

bool sameTensor(const Tensor &a, const Tensor &b) {
  return a.name == b.name && a.role == b.role && a.dtype == b.dtype &&
         a.shape == b.shape && a.group == b.group && a.scaleType == b.scaleType &&
         a.bytes == b.bytes && a.scaleBytes == b.scaleBytes;
}

void putInt(std::vector<uint8_t> &bytes, uint32_t at, uint64_t value,
            uint32_t size) {
  std::memcpy(bytes.data() + at, &value, size); // Host and device: little endian.
}

} // namespace

Expected<const std::vector<Tensor> *> Layer::tensors() {
  return tensors(firstBucket);
}

/// All buckets have the same tensors: any plan at hand tells them, else that of
/// `bucketIfNone`, which is compiled.
Expected<const std::vector<Tensor> *> Layer::tensors(int64_t bucketIfNone) {
  if (!described.empty())
    return &described;
  Expected<std::string> name = context.plans().resolveName(query);
  if (!name)
    return name.status();
  PlanQuery named = query;
  named.layer = *name;
  std::vector<int64_t> known = context.plans().knownBuckets(named);
  Expected<std::vector<PlanRef>> plans = context.plans().obtain(
      named, {known.empty() ? bucketIfNone : known.front()});
  if (!plans)
    return plans.status();
  query.layer = named.layer;
  const Plan &plan = *plans->front().plan;
  std::vector<Tensor> found;
  for (const Tensor &tensor : plan.tensors) {
    if (tensor.role == "weights")
      continue;
    if (elementBytes(tensor.dtype) == 0)
      return Status(ErrorCode::Unsupported,
                    fmt::format("the {} '{}' of the plan '{}' has elements of "
                                "'{}', this library knows {}; use a newer libmoec",
                                tensor.role, tensor.name, plan.layer, tensor.dtype,
                                elementTypeNames()));
    found.push_back(tensor);
  }
  if (found.size() > maxArguments)
    return Status(ErrorCode::Unsupported,
                  fmt::format("the plan '{}' has {} inputs and outputs, at most {} "
                              "are supported",
                              plan.layer, found.size(), maxArguments));
  arguments = std::move(found);
  described = plan.tensors;
  return &described;
}

Status Layer::bindWeights(const std::string &name, const WeightBuffers &buffers) {
  Expected<const std::vector<Tensor> *> all = tensors();
  if (!all)
    return all.status();
  std::string known;
  for (const Tensor &tensor : **all) {
    if (tensor.role != "weights")
      continue;
    if (tensor.name != name) {
      known += (known.empty() ? "" : ", ") + tensor.name;
      continue;
    }
    Expected<Weights> weights = Weights::bind(tensor, buffers);
    if (!weights)
      return weights.status();
    // Records hold the old addresses: this binding has to be prepared.
    programs.clear();
    table.clear();
    bound.insert_or_assign(name, weights.take());
    return {};
  }
  return {ErrorCode::Usage, fmt::format("layer '{}' has no weights '{}'; it has {}",
                                        query.layer, name, known)};
}

Expected<const Weights *> Layer::weights(const std::string &name) const {
  auto found = bound.find(name);
  if (found == bound.end())
    return Status(ErrorCode::Usage,
                  fmt::format("weights '{}' are not bound; call "
                              "moec_layer_bind_weights first",
                              name));
  return &found->second;
}

Status Layer::packWeights(const std::string &name, int64_t first, int64_t count) {
  Expected<const Weights *> found = weights(name);
  if (!found)
    return found.status();
  return bound.at(name).pack(context.device(), first, count);
}

Status Layer::requireBound() const {
  for (const Tensor &tensor : described)
    if (tensor.role == "weights" && !bound.count(tensor.name))
      return {ErrorCode::Usage,
              fmt::format("weights '{}' of layer '{}' are not bound; call "
                          "moec_layer_bind_weights before moec_layer_prepare",
                          tensor.name, query.layer)};
  return {};
}

/// All buckets of a layer take the same tensors; weights are packed once.
Status Layer::checkTensors(const Plan &plan) const {
  auto fail = [&](const std::string &message) {
    return Status(ErrorCode::Content,
                  fmt::format("plan '{}', bucket {}: {}; compile its buckets "
                              "together",
                              plan.layer, plan.bucket, message));
  };
  if (plan.tensors.size() != described.size())
    return fail(fmt::format("{} tensors, the layer has {}", plan.tensors.size(),
                            described.size()));
  for (size_t i = 0; i < described.size(); ++i) {
    const Tensor &expected = described[i], &found = plan.tensors[i];
    if (found.layout != expected.layout)
      return fail(fmt::format("its weights '{}' have the layout '{}', the layer's "
                              "have '{}'",
                              found.name, found.layout, expected.layout));
    if (!sameTensor(found, expected))
      return fail(fmt::format("its tensor '{}' differs from the layer's '{}'",
                              found.name, expected.name));
  }
  return {};
}

/// The address behind "w13" or "w13.scale"; null if it names no weights.
const void *Layer::weightsPointer(const std::string &name) const {
  auto found = bound.find(name);
  if (found != bound.end())
    return found->second.buffers().values;
  constexpr std::string_view suffix = ".scale";
  if (name.size() <= suffix.size() || !name.ends_with(suffix))
    return nullptr;
  found = bound.find(name.substr(0, name.size() - suffix.size()));
  return found == bound.end() ? nullptr : found->second.buffers().scales;
}

RecordKey Layer::keyOf(const Plan &plan, const Kernel &kernel,
                       const Launch &launch) const {
  RecordKey key{nullptr, kernel.stage, plan.bucket};
  for (const Binding &binding : launch.args)
    if (!key.weights && binding.kind == Binding::Kind::Tensor &&
        bound.count(binding.tensor))
      key.weights = weightsPointer(binding.tensor);
  for (const Tensor &tensor : described)
    if (!key.weights && tensor.role == "weights")
      key.weights = weightsPointer(tensor.name);
  return key;
}

Expected<LaunchRecord> Layer::makeRecord(const Bundle &bundle,
                                         const Launch &launch) {
  const Kernel &kernel = bundle.kernels[launch.kernel];
  Expected<void *> function =
      context.device().function(bundle.code[kernel.code], kernel.symbol);
  if (!function)
    return function.status();
  LaunchRecord record;
  record.function = *function;
  std::copy_n(launch.grid, 3, record.grid);
  std::copy_n(kernel.block, 3, record.block);
  record.arguments.assign(kernel.kernargBytes, 0);
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const Binding &binding = launch.args[i];
    const KernelArg &arg = kernel.args[i];
    switch (binding.kind) {
    case Binding::Kind::Int32:
      putInt(record.arguments, arg.offset, uint64_t(binding.value), arg.size);
      break;
    case Binding::Kind::Tokens:
      record.patches.push_back({Patch::Kind::Tokens, arg.offset});
      break;
    case Binding::Kind::Workspace:
      record.patches.push_back(
          {Patch::Kind::Workspace, arg.offset, 0, binding.offset});
      break;
    case Binding::Kind::Tensor: {
      auto found = std::find_if(
          arguments.begin(), arguments.end(),
          [&](const Tensor &t) { return t.name == binding.tensor; });
      if (found == arguments.end())
        putInt(record.arguments, arg.offset,
               reinterpret_cast<uintptr_t>(weightsPointer(binding.tensor)),
               arg.size);
      else
        record.patches.push_back({Patch::Kind::Tensor, arg.offset,
                                  uint32_t(found - arguments.begin()),
                                  binding.tokenBytes});
      break;
    }
    }
  }
  return record;
}

/// Loads the code of one plan and fills the table for it.
Expected<Layer::Program> Layer::load(const PlanRef &ref) {
  const Plan &plan = *ref.plan;
  if (Status status = checkTensors(plan); !status.ok())
    return status;
  std::map<RecordKey, std::vector<LaunchRecord>> made;
  std::vector<std::pair<RecordKey, size_t>> order;
  for (const Launch &launch : plan.launches) {
    const Kernel &kernel = ref.bundle->kernels[launch.kernel];
    Expected<LaunchRecord> record = makeRecord(*ref.bundle, launch);
    if (!record)
      return record.status().withContext(fmt::format(
          "stage '{}', bucket {}", kernel.stage, plan.bucket));
    RecordKey key = keyOf(plan, kernel, launch);
    std::vector<LaunchRecord> &records = made[key];
    order.emplace_back(key, records.size());
    records.push_back(record.take());
  }
  Program program{plan.bucket, plan.passTokens, plan.workspaceBytes, {}};
  for (auto &[key, records] : made)
    table.insert_or_assign(key, std::move(records));
  for (const auto &[key, index] : order)
    program.launches.emplace_back(key, &table.at(key)[index]);
  return program;
}

Status Layer::prepare(const PrepareOptions &options) {
  for (int64_t bucket : options.buckets)
    if (bucket < 1 || bucket > INT32_MAX)
      return {ErrorCode::Usage,
              fmt::format("bucket {} is not a number of tokens from 1 to {}", bucket,
                          INT32_MAX)};
  Expected<const std::vector<Tensor> *> known =
      tensors(options.buckets.empty() ? firstBucket : options.buckets.front());
  if (!known)
    return known.status();
  if (Status status = requireBound(); !status.ok())
    return status;
  std::vector<int64_t> buckets = options.buckets;
  if (buckets.empty())
    buckets = context.plans().knownBuckets(query);
  std::sort(buckets.begin(), buckets.end());
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  int64_t done = 0, total = int64_t(buckets.size());
  std::erase_if(buckets, [&](int64_t bucket) {
    return std::any_of(programs.begin(), programs.end(),
                       [&](const Program &p) { return p.bucket == bucket; });
  });
  done = total - int64_t(buckets.size());
  auto report = [&] {
    if (options.progress)
      options.progress(done, total);
  };
  report();
  Expected<std::vector<PlanRef>> plans = context.plans().obtain(query, buckets);
  if (!plans)
    return plans.status().withContext(fmt::format("layer '{}'", query.layer));
  for (const PlanRef &ref : *plans) {
    Expected<Program> program = load(ref);
    if (!program)
      return program.status().withContext(fmt::format("layer '{}'", query.layer));
    auto place = std::lower_bound(
        programs.begin(), programs.end(), program->bucket,
        [](const Program &p, int64_t bucket) { return p.bucket < bucket; });
    programs.insert(place, program.take());
    ++done;
    report();
  }
  Expected<uint64_t> bytes = workspaceBytes(-1);
  uint64_t have = workspaces.empty() ? 0 : workspaces.back().bytes();
  if (options.ownWorkspace && bytes && *bytes > have) {
    Expected<DeviceMemory> memory = context.device().allocate(*bytes);
    if (!memory)
      return memory.status().withContext("workspace");
    workspaces.push_back(memory.take());
  }
  return {};
}

std::vector<int64_t> Layer::preparedBuckets() const {
  std::vector<int64_t> buckets;
  for (const Program &program : programs)
    buckets.push_back(program.bucket);
  return buckets;
}

Expected<uint64_t> Layer::workspaceBytes(int64_t tokens) const {
  if (tokens == 0)
    return uint64_t(0);
  if (tokens > 0) {
    const Program *program = programFor(tokens);
    if (!program)
      return notPrepared(tokens);
    return program->workspaceBytes;
  }
  uint64_t most = 0;
  for (const Program &program : programs)
    most = std::max(most, program.workspaceBytes);
  return most;
}

} // namespace moec

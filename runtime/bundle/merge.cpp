// Two bundles into one: code shared by hash, kernels by name and content.
#include "runtime/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>

namespace moec {
namespace {

/// Equal but for the index of the code (compared by hash) and the buckets.
bool sameKernel(const Bundle &a, const Kernel &left, const Bundle &b,
                const Kernel &right) {
  auto sameArgs = [&] {
    return std::equal(left.args.begin(), left.args.end(), right.args.begin(),
                      right.args.end(), [](const auto &x, const auto &y) {
                        return x.name == y.name && x.offset == y.offset &&
                               x.size == y.size;
                      });
  };
  return left.symbol == right.symbol && left.stage == right.stage &&
         left.problem == right.problem && left.schedule == right.schedule &&
         left.kernargBytes == right.kernargBytes && sameArgs() &&
         std::equal(left.block, left.block + 3, right.block) &&
         a.code[left.code].hash == b.code[right.code].hash;
}

uint32_t addCode(Bundle &into, const Code &code) {
  for (size_t i = 0; i < into.code.size(); ++i)
    if (into.code[i].hash == code.hash)
      return static_cast<uint32_t>(i);
  into.code.push_back(code);
  return static_cast<uint32_t>(into.code.size() - 1);
}

/// Adds `kernel` of `from`, or finds its equal, and returns its index.
uint32_t addKernel(Bundle &into, const Bundle &from, const Kernel &kernel) {
  auto named = [&](const std::string &name) {
    return std::find_if(into.kernels.begin(), into.kernels.end(),
                        [&](const Kernel &k) { return k.name == name; });
  };
  std::string name = kernel.name;
  for (int attempt = 1;; ++attempt) {
    auto found = named(name);
    if (found == into.kernels.end())
      break;
    if (sameKernel(into, *found, from, kernel)) {
      std::vector<int64_t> all;
      std::set_union(found->buckets.begin(), found->buckets.end(),
                     kernel.buckets.begin(), kernel.buckets.end(),
                     std::back_inserter(all));
      found->buckets = std::move(all);
      return static_cast<uint32_t>(found - into.kernels.begin());
    }
    // Names are for people and unique; another problem's kernel gets a suffix.
    name = fmt::format("{}.{}", kernel.name, attempt + 1);
  }
  Kernel copy = kernel;
  copy.name = name;
  copy.code = addCode(into, from.code[kernel.code]);
  into.kernels.push_back(std::move(copy));
  return static_cast<uint32_t>(into.kernels.size() - 1);
}

bool hasPlan(const Bundle &bundle, const Plan &plan) {
  return std::any_of(
      bundle.plans.begin(), bundle.plans.end(), [&](const Plan &p) {
        return p.layer == plan.layer && p.problem == plan.problem &&
               p.bucket == plan.bucket;
      });
}

} // namespace

Status mergeBundle(Bundle &into, const Bundle &from) {
  if (into.target.empty() && into.kernels.empty())
    into.target = from.target;
  if (into.producer.empty())
    into.producer = from.producer;
  if (into.target != from.target)
    return {ErrorCode::Unsupported,
            fmt::format("cannot merge a bundle for '{}' into one for '{}'; a "
                        "bundle has one target",
                        from.target, into.target)};
  std::vector<uint32_t> kernelIndex;
  for (const Kernel &kernel : from.kernels)
    kernelIndex.push_back(addKernel(into, from, kernel));
  for (const Plan &plan : from.plans) {
    if (hasPlan(into, plan))
      continue;
    Plan copy = plan;
    for (Launch &launch : copy.launches)
      launch.kernel = kernelIndex[launch.kernel];
    into.plans.push_back(std::move(copy));
  }
  for (const Text &text : from.texts) {
    bool known = std::any_of(
        into.texts.begin(), into.texts.end(), [&](const Text &t) {
          return t.kind == text.kind && t.name == text.name && t.text == text.text;
        });
    if (!known)
      into.texts.push_back(text);
  }
  return {};
}

} // namespace moec

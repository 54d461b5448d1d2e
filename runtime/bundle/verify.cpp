// Structural checks of a bundle. After them a loader may follow every index,
// copy every argument and trust every name to be there.
#include "runtime/bundle/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <set>
#include <string_view>

namespace moec {
namespace {

// What HIP accepts in a launch.
constexpr uint32_t maxBlockThreads = 1024;
constexpr uint32_t maxGrid[] = {0x7fffffff, 65535, 65535};
constexpr size_t maxRank = 4; // Of moec_tensor_info.
// Far more than fits any device, and small enough that a loader may multiply a
// token's row by 2^31 tokens and the bytes of an element without an overflow.
constexpr int64_t maxWeightElements = int64_t(1) << 52;
constexpr int64_t maxTokenElements = int64_t(1) << 30;
constexpr uint64_t maxBytes = uint64_t(1) << 48;

class Verifier {
public:
  explicit Verifier(const Bundle &bundle) : bundle(bundle) {}

  /// Empty, or what is wrong first.
  std::string run() {
    std::set<std::string_view> names;
    for (size_t i = 0; i < bundle.kernels.size() && error.empty(); ++i) {
      where = fmt::format("kernels[{}] '{}'", i, bundle.kernels[i].name);
      if (!names.insert(bundle.kernels[i].name).second)
        fail("its name appears twice");
      checkKernel(bundle.kernels[i]);
    }
    std::set<std::tuple<std::string_view, std::string_view, int64_t>> keys;
    for (size_t i = 0; i < bundle.plans.size() && error.empty(); ++i) {
      const Plan &plan = bundle.plans[i];
      where = fmt::format("plans[{}] '{}' bucket {}", i, plan.layer, plan.bucket);
      if (!keys.insert({plan.layer, plan.problem, plan.bucket}).second)
        fail("the same layer, problem and bucket appear twice");
      checkPlan(plan);
    }
    return error;
  }

private:
  void fail(const std::string &message) {
    if (error.empty())
      error = where + ": " + message;
  }
  void require(bool condition, const char *message) {
    if (!condition)
      fail(message);
  }

  void checkTarget(const std::string &target) {
    if (target != bundle.target)
      fail(fmt::format("is for the target '{}' in a bundle for '{}'", target,
                       bundle.target));
  }

  void checkKernel(const Kernel &kernel) {
    require(!kernel.name.empty(), "has no name");
    require(!kernel.symbol.empty(), "has no symbol");
    checkTarget(kernel.target);
    if (kernel.code >= bundle.code.size())
      fail(fmt::format("refers to code[{}] of {}", kernel.code,
                       bundle.code.size()));
    uint64_t threads = 1;
    for (uint32_t extent : kernel.block) {
      require(extent >= 1 && extent <= maxBlockThreads, "has an illegal block");
      threads *= extent;
    }
    require(threads <= maxBlockThreads, "has an illegal block");
    for (size_t i = 1; i < kernel.buckets.size(); ++i)
      require(kernel.buckets[i - 1] < kernel.buckets[i],
              "its buckets are not ascending");
    checkArgs(kernel);
  }

  void checkArgs(const Kernel &kernel) {
    uint64_t end = 0;
    require(kernel.kernargBytes <= 4096, "has more than 4096 bytes of arguments");
    for (const KernelArg &arg : kernel.args) {
      bool good = (arg.size == 4 || arg.size == 8) && arg.offset % arg.size == 0 &&
                  arg.offset >= end &&
                  uint64_t(arg.offset) + arg.size <= kernel.kernargBytes;
      if (!good)
        fail(fmt::format("argument '{}' ({} bytes at {}) does not fit the {} "
                         "bytes of arguments",
                         arg.name, arg.size, arg.offset, kernel.kernargBytes));
      end = uint64_t(arg.offset) + arg.size;
    }
  }

  void checkPlan(const Plan &plan) {
    require(!plan.layer.empty(), "has no layer");
    checkTarget(plan.target);
    require(plan.bucket >= 1, "its bucket is not positive");
    require(plan.passTokens >= 1, "its passTokens is not positive");
    require(plan.workspaceBytes <= maxBytes, "its workspace exceeds 2^48 bytes");
    require(plan.bucket <= std::numeric_limits<int32_t>::max() &&
                plan.passTokens <= std::numeric_limits<int32_t>::max(),
            "its token counts exceed 32 bits");
    std::set<std::string> tensors;
    for (const Tensor &tensor : plan.tensors) {
      checkTensor(tensor);
      if (!tensors.insert(tensor.name).second)
        fail(fmt::format("the tensor '{}' appears twice", tensor.name));
      if (!tensor.scaleType.empty())
        tensors.insert(tensor.name + ".scale");
    }
    for (size_t i = 0; i < plan.launches.size(); ++i)
      checkLaunch(plan, plan.launches[i], i, tensors);
  }

  void checkTensor(const Tensor &tensor) {
    require(!tensor.name.empty(), "a tensor has no name");
    bool weights = tensor.role == "weights";
    if (!weights && tensor.role != "input" && tensor.role != "output")
      fail(fmt::format("the tensor '{}' has the role '{}', expected input, output "
                       "or weights",
                       tensor.name, tensor.role));
    checkShape(tensor, weights ? maxWeightElements : maxTokenElements);
    if (!error.empty())
      return; // What follows divides by an extent.
    if (weights && (tensor.shape.size() != 3 || tensor.layout.empty() ||
                    tensor.bytes == 0 ||
                    tensor.bytes % uint64_t(tensor.shape[0]) != 0 ||
                    tensor.scaleBytes % uint64_t(tensor.shape[0]) != 0 ||
                    tensor.scaleType.empty() != (tensor.scaleBytes == 0)))
      fail(fmt::format("the weights '{}' need a shape [experts, n, k], a layout, "
                       "and bytes that are equal for all experts",
                       tensor.name));
    if (tensor.bytes > maxBytes || tensor.scaleBytes > maxBytes)
      fail(fmt::format("the tensor '{}' has {} + {} bytes, at most 2^48 are "
                       "possible",
                       tensor.name, tensor.bytes, tensor.scaleBytes));
  }

  void checkShape(const Tensor &tensor, int64_t maxElements) {
    if (tensor.shape.empty() || tensor.shape.size() > maxRank)
      return fail(fmt::format("the tensor '{}' has {} extents, it must be 1 to {}",
                              tensor.name, tensor.shape.size(), maxRank));
    int64_t elements = 1;
    for (int64_t extent : tensor.shape) {
      if (extent < 1 || extent > std::numeric_limits<int32_t>::max())
        return fail(
            fmt::format("the tensor '{}' has the extent {}", tensor.name, extent));
      if (elements > maxElements / extent)
        return fail(fmt::format("the tensor '{}' of shape [{}] has more than {} "
                                "elements",
                                tensor.name, fmt::join(tensor.shape, ", "),
                                maxElements));
      elements *= extent;
    }
  }

  void checkLaunch(const Plan &plan, const Launch &launch, size_t index,
                   const std::set<std::string> &tensors) {
    std::string at = fmt::format("launches[{}]: ", index);
    if (launch.kernel >= bundle.kernels.size())
      return fail(fmt::format("{}refers to kernels[{}] of {}", at, launch.kernel,
                              bundle.kernels.size()));
    const Kernel &kernel = bundle.kernels[launch.kernel];
    if (launch.args.size() != kernel.args.size())
      return fail(fmt::format("{}binds {} arguments, the kernel '{}' has {}", at,
                              launch.args.size(), kernel.name,
                              kernel.args.size()));
    for (size_t i = 0; i < 3; ++i)
      if (launch.grid[i] < 1 || launch.grid[i] > maxGrid[i])
        fail(fmt::format("{}has {} blocks along {}, it must be 1 to {}", at,
                         launch.grid[i], "xyz"[i], maxGrid[i]));
    for (size_t i = 0; i < launch.args.size(); ++i)
      if (std::string wrong =
              checkBinding(plan, launch.args[i], kernel.args[i], tensors);
          !wrong.empty())
        fail(fmt::format("{}argument '{}' of '{}' {}", at, kernel.args[i].name,
                         kernel.name, wrong));
  }

  static std::string checkBinding(const Plan &plan, const Binding &binding,
                                  const KernelArg &arg,
                                  const std::set<std::string> &tensors) {
    bool pointer = binding.kind == Binding::Kind::Tensor ||
                   binding.kind == Binding::Kind::Workspace;
    if (arg.size != (pointer ? 8u : 4u))
      return fmt::format("has {} bytes, its binding {}", arg.size,
                         pointer ? 8 : 4);
    if (binding.kind == Binding::Kind::Tensor && !tensors.count(binding.tensor))
      return fmt::format("is bound to '{}', which the plan does not list",
                         binding.tensor);
    if (binding.kind == Binding::Kind::Workspace &&
        binding.offset > plan.workspaceBytes)
      return fmt::format("is bound to workspace byte {} of {}", binding.offset,
                         plan.workspaceBytes);
    if (binding.kind == Binding::Kind::Int32 &&
        (binding.value < std::numeric_limits<int32_t>::min() ||
         binding.value > std::numeric_limits<uint32_t>::max()))
      return fmt::format("is bound to {}, which exceeds 32 bits", binding.value);
    return {};
  }

  const Bundle &bundle;
  std::string where, error;
};

} // namespace

Status verifyBundle(const Bundle &bundle, const std::string &name) {
  std::string error = Verifier(bundle).run();
  if (error.empty())
    return {};
  return {ErrorCode::Content, fmt::format("{}: malformed: {}", name, error)};
}

} // namespace moec

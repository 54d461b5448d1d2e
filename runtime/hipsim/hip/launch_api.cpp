// Kernel launches: from arguments to a dispatch.
#include "runtime/hipsim/hip/profile.h"
#include "runtime/hipsim/hip/runtime.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

bool isHidden(const KernelArgument &a) {
  return a.valueKind.rfind("hidden_", 0) == 0;
}

struct Shape {
  uint32_t grid[3], block[3], dynamicLds;
};

/// A hidden argument that the runtime fills in: its value by kind. Kinds that
/// are not listed (buffers for printf, host calls, queues) stay zero.
uint64_t hiddenValue(const std::string &kind, const Shape &s) {
  auto axis = [&]() -> int { return kind.back() - 'x'; };
  auto is = [&](const char *prefix) { return kind.rfind(prefix, 0) == 0; };
  if (is("hidden_block_count_"))
    return s.grid[axis()];
  if (is("hidden_group_size_"))
    return s.block[axis()];
  if (kind == "hidden_grid_dims")
    return s.grid[2] * s.block[2] > 1 ? 3 : s.grid[1] * s.block[1] > 1 ? 2 : 1;
  if (kind == "hidden_dynamic_lds_size")
    return s.dynamicLds;
  if (kind == "hidden_private_base")
    return 0x00020000; // High halves of the apertures (ops/lanes.h).
  if (kind == "hidden_shared_base")
    return 0x00010000;
  return 0; // Remainders and global offsets are zero: grids are whole blocks.
}

/// The first 40 bytes of an AQL dispatch packet are what kernels read.
std::vector<uint8_t> makePacket(const Shape &s, const KernelDescriptor &k) {
  std::vector<uint8_t> packet(64);
  auto put = [&](size_t offset, auto value) {
    std::memcpy(packet.data() + offset, &value, sizeof(value));
  };
  put(2, uint16_t(hiddenValue("hidden_grid_dims", s)));
  for (int i = 0; i < 3; ++i) {
    put(4 + 2 * i, uint16_t(s.block[i]));
    put(12 + 4 * i, uint32_t(s.grid[i] * s.block[i]));
  }
  put(24, k.privateSegmentBytes);
  put(28, k.groupSegmentBytes + s.dynamicLds);
  return packet;
}

/// Arguments as an array of pointers, or as a packed buffer with its size.
hipError_t fillArguments(std::vector<uint8_t> &segment, const KernelDescriptor &k,
                         void **parameters, void **extra, std::string &why) {
  const void *buffer = nullptr;
  size_t bufferBytes = 0;
  if (extra) {
    for (void **p = extra; *p != HIP_LAUNCH_PARAM_END; p += 2) {
      if (*p == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = p[1];
      else if (*p == HIP_LAUNCH_PARAM_BUFFER_SIZE && p[1])
        bufferBytes = *static_cast<size_t *>(p[1]);
      else {
        why = "`extra` holds an unknown tag";
        return hipErrorInvalidValue;
      }
    }
  }
  if (parameters && buffer) {
    why = "both kernelParams and extra are given";
    return hipErrorInvalidValue;
  }
  size_t needed = 0, index = 0;
  for (const KernelArgument &a : k.args) {
    if (isHidden(a) || uint64_t(a.offset) + a.size > segment.size())
      continue;
    needed = std::max<size_t>(needed, a.offset + a.size);
    if (parameters) {
      if (!parameters[index]) {
        why = "argument " + std::to_string(index) + " is a null pointer";
        return hipErrorInvalidValue;
      }
      std::memcpy(segment.data() + a.offset, parameters[index], a.size);
    }
    ++index;
  }
  if (!parameters && index) {
    if (!buffer || bufferBytes < needed) {
      why = "the argument buffer has " + std::to_string(bufferBytes) +
            " bytes; the kernel takes " + std::to_string(needed);
      return hipErrorInvalidValue;
    }
    std::memcpy(segment.data(), buffer, std::min(bufferBytes, needed));
  }
  return hipSuccess;
}

hipError_t errorOf(FaultKind kind) {
  return kind == FaultKind::IllegalAddress ? hipErrorIllegalAddress
         : kind == FaultKind::Deadlock     ? hipErrorLaunchTimeOut
                                           : hipErrorLaunchFailure;
}

/// What the worker thread executes.
void execute(Dispatch &dispatch, Device &device) {
  Runtime &runtime = Runtime::get();
  dispatch.memory = runtime.memory.snapshot();
  std::shared_ptr<timing::Profile> profile = currentProfile();
  std::unique_ptr<timing::Recorder> recorder;
  if (profile) {
    recorder = profile->recorderFor(dispatch);
    dispatch.recorder = recorder.get();
  }
  bool ok = runDispatch(dispatch, runtime.threads);
  dispatch.recorder = nullptr;
  if (ok && profile)
    profile->add(dispatch, *recorder);
  runtime.addCounters(dispatch.counters);
  if (ok)
    return;
  runtime.report(dispatch.error.text);
  device.setError(errorOf(dispatch.error.kind));
}

} // namespace

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ,
                                 unsigned dynamicLds, hipStream_t handle,
                                 void **parameters, void **extra) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (!runtime.functions.count(function))
      return finish(hipErrorInvalidHandle);
  }
  ihipStream_t *stream = runtime.stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  Device &device = *runtime.devices[stream->device];
  if (hipError_t error = device.error())
    return finish(error);

  Shape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicLds};
  const KernelDescriptor &kernel = *function->kernel;
  std::string why;
  auto refuse = [&](hipError_t error) {
    runtime.report("hipsim: launch refused: kernel " + kernel.name + ": " + why + "\n");
    return finish(error);
  };
  for (int i = 0; i < 3; ++i) {
    // The packet holds the grid in work items, 32 bits an axis.
    if (shape.grid[i] == 0 || shape.block[i] == 0 ||
        uint64_t(shape.grid[i]) * shape.block[i] > UINT32_MAX) {
      why = "grid or block is zero or has more than 2^32-1 work items in "
            "dimension " + std::to_string(i);
      return refuse(hipErrorInvalidConfiguration);
    }
  }

  auto dispatch = std::make_shared<Dispatch>();
  dispatch->program = function->program;
  dispatch->kernel = &kernel;
  std::copy_n(shape.grid, 3, dispatch->grid);
  std::copy_n(shape.block, 3, dispatch->block);
  dispatch->dynamicLds = dynamicLds;
  dispatch->seed = runtime.seed;
  bool resources;
  std::string problem = checkLaunch(*dispatch, resources);
  if (!problem.empty()) {
    runtime.report("hipsim: launch refused: " + problem + "\n");
    return finish(resources ? hipErrorLaunchOutOfResources
                            : hipErrorInvalidConfiguration);
  }

  // Kept by the command.
  auto arguments = std::make_shared<std::vector<uint8_t>>(kernel.kernargBytes);
  if (hipError_t error =
          fillArguments(*arguments, kernel, parameters, extra, why))
    return refuse(error);
  for (const KernelArgument &a : kernel.args)
    if (isHidden(a) && uint64_t(a.offset) + a.size <= arguments->size()) {
      uint64_t value = hiddenValue(a.valueKind, shape);
      std::memcpy(arguments->data() + a.offset, &value, std::min<size_t>(a.size, 8));
    }
  // Segments lie in 64-byte blocks: wide scalar loads of the last arguments
  // read on to the end of one.
  arguments->resize((arguments->size() + 63) / 64 * 64);
  auto packet = std::make_shared<std::vector<uint8_t>>(makePacket(shape, kernel));
  dispatch->kernarg = reinterpret_cast<uint64_t>(arguments->data());
  dispatch->packet = reinterpret_cast<uint64_t>(packet->data());
  dispatch->own[0] = {dispatch->kernarg, dispatch->kernarg + arguments->size(),
                      MemoryKind::Kernarg, false, stream->device, 0};
  dispatch->own[1] = {dispatch->packet, dispatch->packet + packet->size(),
                      MemoryKind::Kernarg, false, stream->device, 0};
  device.submit(*stream, [dispatch, arguments, packet, &device] {
    execute(*dispatch, device);
  });
  return finish(hipSuccess);
}

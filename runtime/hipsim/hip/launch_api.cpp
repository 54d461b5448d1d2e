// Kernel launches: from arguments to a dispatch.
#include "runtime/hipsim/hip/capture.h"
#include "runtime/hipsim/hip/profile.h"
#include "runtime/hipsim/hip/trace_api.h"

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
    // Callers that pack a struct round its size up.
    size_t limit = (segment.size() + 15) & ~size_t(15);
    if (!buffer || bufferBytes < needed || bufferBytes > limit) {
      why = "the argument buffer has " + std::to_string(bufferBytes) +
            " bytes; the kernel takes " + std::to_string(needed) +
            (limit > needed ? " to " + std::to_string(limit) : "");
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

/// The launch that a work describes; everything but the state of the run.
void fillDispatch(Dispatch &dispatch, const KernelWork &work, uint32_t device) {
  dispatch.program = work.program;
  dispatch.kernel = work.kernel;
  std::copy_n(work.grid, 3, dispatch.grid);
  std::copy_n(work.block, 3, dispatch.block);
  dispatch.dynamicLds = work.dynamicLds;
  dispatch.seed = Runtime::get().seed;
  dispatch.checks = Runtime::get().checks;
  dispatch.device = device;
  dispatch.kernarg = reinterpret_cast<uint64_t>(work.arguments.data());
  dispatch.packet = reinterpret_cast<uint64_t>(work.packet.data());
  dispatch.own[0] = {dispatch.kernarg, dispatch.kernarg + work.arguments.size(),
                     MemoryKind::Kernarg, false, device, 0};
  dispatch.own[1] = {dispatch.packet, dispatch.packet + work.packet.size(),
                     MemoryKind::Kernarg, false, device, 0};
}

hipError_t refuse(hipError_t error, const std::string &why) {
  Runtime::get().report("hipsim: launch refused: " + why + "\n");
  return error;
}

/// The limits that depend on the shape and the kernel's resources.
hipError_t checkShape(const KernelWork &work) {
  for (int i = 0; i < 3; ++i)
    // The packet holds the grid in work items, 32 bits an axis.
    if (work.grid[i] == 0 || work.block[i] == 0 ||
        uint64_t(work.grid[i]) * work.block[i] > UINT32_MAX)
      return refuse(hipErrorInvalidConfiguration,
                    "kernel " + work.kernel->name +
                        ": grid or block is zero or has more than 2^32-1 work "
                        "items in dimension " + std::to_string(i));
  Dispatch dispatch;
  fillDispatch(dispatch, work, 0);
  bool resources;
  std::string problem = checkLaunch(dispatch, resources);
  if (problem.empty())
    return hipSuccess;
  return refuse(resources ? hipErrorLaunchOutOfResources : hipErrorInvalidConfiguration,
                problem);
}

/// Explicit and hidden arguments, and where the explicit ones lie.
hipError_t fillSegment(KernelWork &work, const Shape &shape, void **parameters,
                       void **extra) {
  const KernelDescriptor &kernel = *work.kernel;
  std::vector<uint8_t> &segment = work.arguments;
  segment.resize(kernel.kernargBytes);
  std::string why;
  if (hipError_t error = fillArguments(segment, kernel, parameters, extra, why))
    return refuse(error, "kernel " + kernel.name + ": " + why);
  // Segments lie in 64-byte blocks: wide scalar loads of the last arguments
  // read on to the end of one.
  segment.resize((segment.size() + 63) / 64 * 64);
  for (const KernelArgument &a : kernel.args) {
    if (uint64_t(a.offset) + a.size > kernel.kernargBytes)
      continue;
    if (isHidden(a)) {
      uint64_t value = hiddenValue(a.valueKind, shape);
      std::memcpy(segment.data() + a.offset, &value, std::min<size_t>(a.size, 8));
    } else {
      work.parameters.push_back(segment.data() + a.offset);
    }
  }
  return hipSuccess;
}

hipError_t launch(hipFunction_t function, const Shape &s, hipStream_t handle,
                  void **parameters, void **extra) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (!runtime.functions.count(function))
      return hipErrorInvalidHandle;
  }
  ihipStream_t *stream;
  if (hipError_t error = streamForWork(handle, stream))
    return error;
  if (hipError_t error = runtime.devices[stream->device]->error())
    return error;
  WorkPtr work;
  if (hipError_t error = makeKernel(
          function, stream->device, {s.grid[0], s.grid[1], s.grid[2]},
          {s.block[0], s.block[1], s.block[2]}, s.dynamicLds, parameters, extra, work))
    return error;
  return enqueue(*stream, std::move(work)).error;
}

} // namespace

hipError_t hipsim::makeKernel(hipFunction_t function, uint32_t device, dim3 grid,
                              dim3 block, uint32_t dynamicLds, void **parameters,
                              void **extra, WorkPtr &made) {
  if (function->device != device)
    return refuse(hipErrorInvalidHandle,
                  "kernel " + function->kernel->name + ": its module was loaded on device " +
                      std::to_string(function->device) + ", the stream is of device " +
                      std::to_string(device));
  KernelWork work;
  work.program = function->program;
  work.kernel = function->kernel;
  work.function = function;
  work.dynamicLds = dynamicLds;
  Shape shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamicLds};
  std::copy_n(shape.grid, 3, work.grid);
  std::copy_n(shape.block, 3, work.block);
  if (hipError_t error = checkShape(work))
    return error;
  if (hipError_t error = fillSegment(work, shape, parameters, extra))
    return error;
  work.packet = makePacket(shape, *work.kernel);
  made = makeWork(device, std::move(work));
  return hipSuccess;
}

void hipsim::performKernel(const KernelWork &work, uint32_t ordinal) {
  Runtime &runtime = Runtime::get();
  Device &device = *runtime.devices[ordinal];
  Dispatch dispatch;
  fillDispatch(dispatch, work, ordinal);
  dispatch.tracer = makeTracer();
  dispatch.reachable = device.reachable;
  dispatch.memory = runtime.memory.snapshot();
  std::shared_ptr<timing::Profile> profile = currentProfile();
  std::unique_ptr<timing::Recorder> recorder;
  if (profile) {
    recorder = profile->recorderFor(dispatch);
    dispatch.recorder = recorder.get();
  }
  bool ok = runDispatch(dispatch, dispatch.tracer ? 1 : runtime.threads);
  dispatch.recorder = nullptr;
  if (ok && profile)
    profile->add(dispatch, *recorder);
  runtime.addCounters(dispatch.counters);
  if (ok)
    return;
  runtime.report(dispatch.error.text);
  device.setError(errorOf(dispatch.error.kind));
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ,
                                 unsigned dynamicLds, hipStream_t stream,
                                 void **parameters, void **extra) {
  Shape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicLds};
  return finish(launch(function, shape, stream, parameters, extra));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX,
                                            unsigned gridY, unsigned gridZ,
                                            unsigned blockX, unsigned blockY,
                                            unsigned blockZ, unsigned dynamicLds,
                                            hipStream_t stream, void **parameters) {
  // All groups must be resident at once.
  int perUnit = 0, units = 0;
  uint64_t block = uint64_t(blockX) * blockY * blockZ;
  if (block - 1 < 1024) {
    if (hipError_t error = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            &perUnit, function, int(block), dynamicLds))
      return finish(error);
    (void)hipDeviceGetAttribute(&units, 63, int(currentDevice));
    if (uint64_t(gridX) * gridY * gridZ > uint64_t(perUnit) * uint64_t(units))
      return finish(hipErrorCooperativeLaunchTooLarge);
  }
  Shape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicLds};
  return finish(launch(function, shape, stream, parameters, nullptr));
}

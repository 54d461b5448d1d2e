// What a stream or a graph node executes: kernels, copies, fills, host calls.
//
// An asynchronous call checks its arguments, makes a Work and hands it to
// enqueue(), which gives it to the device or, while the stream captures, to the
// graph. A Work never changes, so that any number of replays can share it.
#pragma once

#include "runtime/hipsim/hip/runtime.h"

#include <variant>

namespace hipsim {

struct KernelWork {
  std::shared_ptr<const Program> program;
  const KernelDescriptor *kernel = nullptr;
  hipFunction_t function = nullptr;
  uint32_t grid[3], block[3], dynamicLds = 0;
  std::vector<uint8_t> arguments, packet; ///< Kernarg segment and AQL packet.
  std::vector<void *> parameters; ///< Into `arguments`, one an explicit argument.
};

/// A box of bytes, a rectangle or a row.
struct CopyWork {
  void *dst = nullptr;
  const void *src = nullptr;
  size_t width = 0, height = 1, depth = 1;
  size_t dstPitch = 0, srcPitch = 0; ///< From row to row.
  size_t dstRows = 0, srcRows = 0;   ///< Rows from slice to slice.
  hipMemcpyKind kind = hipMemcpyDefault;
  bool dstOurs = false, srcOurs = false; ///< In the memory table when made.
};

struct FillWork {
  void *dst = nullptr;
  uint32_t value = 0, elementBytes = 1;
  size_t width = 0, height = 1, pitch = 0; ///< Width in elements.
};

struct HostWork {
  hipHostFn_t function = nullptr;
  void *argument = nullptr;
};

struct Work {
  uint32_t device = 0;
  std::variant<std::monostate, KernelWork, CopyWork, FillWork, HostWork> what;
};
using WorkPtr = std::shared_ptr<const Work>;

// Checks and completes a description. An error says what HIP would.
hipError_t checkCopy(CopyWork &copy);
hipError_t checkFill(const FillWork &fill);
/// A refusal leaves a report. `extra`: as hipModuleLaunchKernel takes it.
hipError_t makeKernel(hipFunction_t function, uint32_t device, dim3 grid,
                      dim3 block, uint32_t dynamicLds, void **parameters,
                      void **extra, WorkPtr &made);
template <class T> WorkPtr makeWork(uint32_t device, T what) {
  auto work = std::make_shared<Work>();
  work->device = device;
  work->what = std::move(what);
  return work;
}

/// Executes it now. Called by worker threads; errors stick to its device.
void perform(const Work &work);
void performKernel(const KernelWork &work, uint32_t device); // launch_api.cpp

struct Enqueued {
  hipError_t error = hipSuccess;
  uint64_t ticket = 0;
  bool captured = false; ///< A node was added; nothing has been submitted.
};
/// Into the stream, or into the graph that it captures.
Enqueued enqueue(ihipStream_t &stream, WorkPtr work);

} // namespace hipsim

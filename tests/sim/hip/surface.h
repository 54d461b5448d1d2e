// What the tests of the HIP functions share.
#pragma once

#include "tests/sim/exec/device.h"

#include <tuple>

using Words = std::vector<uint32_t>;

/// The stream of a test; ends whatever capture is left.
class Stream {
public:
  explicit Stream(unsigned flags = hipStreamNonBlocking) {
    HIP_OK(hipStreamCreateWithFlags(&stream, flags));
  }
  ~Stream() { (void)hipStreamDestroy(stream); }
  Stream(const Stream &) = delete;
  operator hipStream_t() const { return stream; }

private:
  hipStream_t stream = nullptr;
};

class Event {
public:
  explicit Event(unsigned flags = 0) { HIP_OK(hipEventCreateWithFlags(&event, flags)); }
  ~Event() { (void)hipEventDestroy(event); }
  Event(const Event &) = delete;
  operator hipEvent_t() const { return event; }

private:
  hipEvent_t event = nullptr;
};

/// Graph handles that are destroyed with the test.
struct Graph {
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  ~Graph() {
    if (exec)
      (void)hipGraphExecDestroy(exec);
    if (graph)
      (void)hipGraphDestroy(graph);
  }
  void instantiate() { HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0)); }
};

template <class... A>
hipError_t launch(hipFunction_t function, hipStream_t stream, unsigned grid, A... arguments) {
  void *parameters[] = {static_cast<void *>(&arguments)...};
  return hipModuleLaunchKernel(function, grid, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr);
}

/// hipKernelNodeParams that own their arguments.
template <class... A> struct KernelNode {
  explicit KernelNode(hipFunction_t function, A... arguments) : values(arguments...) {
    std::apply([&](auto &...a) { ((pointers[count++] = &a), ...); }, values);
    parameters.func = function;
    parameters.gridDim = {1, 1, 1};
    parameters.blockDim = {64, 1, 1};
    parameters.kernelParams = pointers;
  }
  KernelNode(const KernelNode &) = delete;
  const hipKernelNodeParams *get() const { return &parameters; }
  std::tuple<A...> values;
  void *pointers[sizeof...(A)];
  size_t count = 0;
  hipKernelNodeParams parameters = {};
};

inline hipStreamCaptureStatus statusOf(hipStream_t stream) {
  hipStreamCaptureStatus status;
  HIP_OK(hipStreamIsCapturing(stream, &status));
  return status;
}
inline size_t nodeCount(hipGraph_t graph) {
  size_t count = 0;
  HIP_OK(hipGraphGetNodes(graph, nullptr, &count));
  return count;
}

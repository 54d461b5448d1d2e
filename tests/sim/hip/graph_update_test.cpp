// Changing executable graphs, and graphs that cannot run.
#include "tests/sim/hip/surface.h"

namespace {

/// memset -> add(out, in, value) -> copy to the host.
struct Pipeline {
  Module module{"hip_surface"};
  Buffer<uint32_t> in{Words(64, 1)}, out{64};
  Words host = Words(64);
  Stream stream;
  Graph g;
  hipGraphNode_t nodes[3];
  Pipeline() {
    g.graph = make(5, 0, hipMemcpyDeviceToHost);
    size_t count = 3;
    HIP_OK(hipGraphGetNodes(g.graph, nodes, &count));
    REQUIRE(count == 3);
    g.instantiate();
  }
  hipGraph_t make(uint32_t value, int fill, hipMemcpyKind kind) {
    hipGraph_t graph;
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    HIP_OK(hipMemsetD32Async(in.get(), fill, 64, stream));
    HIP_OK(launch(module.function("add"), stream, 1, out.get(), in.get(), value));
    HIP_OK(hipMemcpyAsync(host.data(), out.get(), 256, kind, stream));
    HIP_OK(hipStreamEndCapture(stream, &graph));
    return graph;
  }
  uint32_t run() {
    HIP_OK(hipGraphLaunch(g.exec, stream));
    HIP_OK(hipStreamSynchronize(stream));
    CHECK(host == Words(64, host[0]));
    return host[0];
  }
};

} // namespace

TEST_CASE("Unit_hipGraphExecSetParams_EveryKind", "[graph]") {
  Pipeline p;
  CHECK(p.run() == 5); // 0 + 5
  KernelNode kernel(p.module.function("add"), p.out.get(), p.in.get(), 6u);
  HIP_OK(hipGraphExecKernelNodeSetParams(p.g.exec, p.nodes[1], kernel.get()));
  CHECK(p.run() == 6); // 0 + 6
  hipMemsetParams fill = {p.in.get(), 4, 1, 0, 100, 64};
  HIP_OK(hipGraphExecMemsetNodeSetParams(p.g.exec, p.nodes[0], &fill));
  CHECK(p.run() == 106); // 100 + 6
  HIP_OK(hipGraphExecMemcpyNodeSetParams1D(p.g.exec, p.nodes[2], p.host.data(), p.in.get(), 256,
                                           hipMemcpyDeviceToHost));
  CHECK(p.run() == 100); // The input itself.
  // The graph kept its own parameters.
  Graph again;
  HIP_OK(hipGraphInstantiate(&again.exec, p.g.graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(again.exec, p.stream));
  HIP_OK(hipStreamSynchronize(p.stream));
  CHECK(p.host[0] == 5);
}

TEST_CASE("Unit_hipGraphExecSetParams_LaunchesInFlightKeepTheirs", "[graph]") {
  Pipeline p;
  Module &module = p.module;
  Buffer<uint32_t> log(64);
  HIP_OK(hipMemset(log.get(), 0, 256));
  Graph g;
  hipGraphNode_t node;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  KernelNode first(module.function("append"), log.get(), 0u);
  HIP_OK(hipGraphAddKernelNode(&node, g.graph, nullptr, 0, first.get()));
  g.instantiate();
  for (uint32_t i = 0; i < 50; ++i) {
    KernelNode next(module.function("append"), log.get(), i);
    HIP_OK(hipGraphExecKernelNodeSetParams(g.exec, node, next.get()));
    HIP_OK(hipGraphLaunch(g.exec, p.stream)); // Nobody waits in between.
  }
  HIP_OK(hipStreamSynchronize(p.stream));
  Words got = log.read();
  CHECK(got[0] == 50);
  for (uint32_t i = 0; i < 50; ++i)
    CHECK(got[1 + i] == i);
}

TEST_CASE("Unit_hipGraphExecSetParams_Refused", "[graph]") {
  Pipeline p;
  KernelNode kernel(p.module.function("add"), p.out.get(), p.in.get(), 6u);
  // A node of another kind, of another graph, and no handle at all.
  CHECK(hipGraphExecKernelNodeSetParams(p.g.exec, p.nodes[0], kernel.get()) == hipErrorInvalidValue);
  Graph other;
  other.graph = p.make(1, 1, hipMemcpyDeviceToHost);
  hipGraphNode_t foreign[3];
  size_t count = 3;
  HIP_OK(hipGraphGetNodes(other.graph, foreign, &count));
  CHECK(hipGraphExecKernelNodeSetParams(p.g.exec, foreign[1], kernel.get()) == hipErrorInvalidValue);
  CHECK(hipGraphExecKernelNodeSetParams(nullptr, p.nodes[1], kernel.get()) == hipErrorInvalidValue);
  CHECK(hipGraphExecKernelNodeSetParams(p.g.exec, p.nodes[1], nullptr) == hipErrorInvalidValue);
  kernel.parameters.gridDim.x = 0;
  CHECK(hipGraphExecKernelNodeSetParams(p.g.exec, p.nodes[1], kernel.get()) ==
        hipErrorInvalidConfiguration);
  // The kind of a copy may not change.
  CHECK(hipGraphExecMemcpyNodeSetParams1D(p.g.exec, p.nodes[2], p.out.get(), p.in.get(), 4,
                                          hipMemcpyDeviceToDevice) == hipErrorInvalidValue);
  CHECK(p.run() == 5);
}

TEST_CASE("Unit_hipGraphExecUpdate_SameTopology", "[graph]") {
  Pipeline p;
  hipGraphExecUpdateResult result;
  hipGraphNode_t at = nullptr;
  CHECK(p.run() == 5);
  Graph changed;
  changed.graph = p.make(40, 2, hipMemcpyDeviceToHost);
  HIP_OK(hipGraphExecUpdate(p.g.exec, changed.graph, &at, &result));
  CHECK(result == hipGraphExecUpdateSuccess);
  CHECK(p.run() == 42); // 2 + 40
}

TEST_CASE("Unit_hipGraphExecUpdate_Refused", "[graph]") {
  Pipeline p;
  hipGraphExecUpdateResult result;
  hipGraphNode_t at = nullptr, extra;
  Graph g;
  g.graph = p.make(40, 2, hipMemcpyDeviceToHost);
  hipGraphNode_t nodes[3];
  size_t count = 3;
  HIP_OK(hipGraphGetNodes(g.graph, nodes, &count));
  HIP_OK(hipGraphRemoveDependencies(g.graph, &nodes[0], &nodes[1], 1));
  CHECK(hipGraphExecUpdate(p.g.exec, g.graph, &at, &result) == hipErrorGraphExecUpdateFailure);
  CHECK(result == hipGraphExecUpdateErrorTopologyChanged);
  CHECK(at == nodes[1]);
  HIP_OK(hipGraphAddEmptyNode(&extra, g.graph, nullptr, 0));
  CHECK(hipGraphExecUpdate(p.g.exec, g.graph, &at, &result) == hipErrorGraphExecUpdateFailure);
  CHECK(result == hipGraphExecUpdateErrorTopologyChanged);
  Graph kind;
  kind.graph = p.make(40, 2, hipMemcpyDefault);
  CHECK(hipGraphExecUpdate(p.g.exec, kind.graph, &at, &result) == hipErrorGraphExecUpdateFailure);
  CHECK(result == hipGraphExecUpdateErrorParametersChanged);
  Graph type;
  HIP_OK(hipGraphCreate(&type.graph, 0));
  hipGraphNode_t a, b, c;
  HIP_OK(hipGraphAddEmptyNode(&a, type.graph, nullptr, 0));
  HIP_OK(hipGraphAddEmptyNode(&b, type.graph, &a, 1));
  HIP_OK(hipGraphAddEmptyNode(&c, type.graph, &b, 1));
  CHECK(hipGraphExecUpdate(p.g.exec, type.graph, &at, &result) == hipErrorGraphExecUpdateFailure);
  CHECK(result == hipGraphExecUpdateErrorNodeTypeChanged);
  CHECK(at == a);
  CHECK(p.run() == 5); // Nothing has changed.
}

TEST_CASE("Unit_hipGraphLaunch_MemoryFreedSince", "[graph]") {
  Stream stream;
  Graph g;
  void *pointer;
  HIP_OK(hipMalloc(&pointer, 256));
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipMemsetAsync(pointer, 0, 256, stream));
  HIP_OK(hipStreamEndCapture(stream, &g.graph));
  g.instantiate();
  HIP_OK(hipFree(pointer));
  HIP_OK(hipGraphLaunch(g.exec, stream));
  CHECK(hipStreamSynchronize(stream) == hipErrorIllegalAddress);
  CHECK(std::string(hipsimLastReport()).find("into freed device allocation") != std::string::npos);
  HIP_OK(hipDeviceReset());
}

TEST_CASE("Unit_hipGraphLaunch_FaultStopsTheGraph", "[graph]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(64, 1));
  Stream stream;
  Graph g;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(launch(module.function("fail"), stream, 1, data.get()));
  HIP_OK(hipStreamEndCapture(stream, &g.graph));
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, stream));
  CHECK(hipStreamSynchronize(stream) == hipErrorLaunchFailure);
  CHECK(hipGraphLaunch(g.exec, stream) == hipErrorLaunchFailure);
  HIP_OK(hipDeviceReset());
}

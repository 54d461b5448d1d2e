// Graphs built by hand: nodes, edges, copies, order, replays.
#include "tests/sim/hip/surface.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

TEST_CASE("Unit_hipGraphAddKernelNode_Parameters", "[graph]") {
  Module module("hip_surface");
  Buffer<uint64_t> out(4);
  Graph g;
  hipGraphNode_t node;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  KernelNode first(module.function("mixed"), out.get(), uint8_t(1), uint16_t(2), 3u,
                   uint64_t(4));
  HIP_OK(hipGraphAddKernelNode(&node, g.graph, nullptr, 0, first.get()));
  hipKernelNodeParams read;
  HIP_OK(hipGraphKernelNodeGetParams(node, &read));
  CHECK(read.func == module.function("mixed"));
  CHECK(read.blockDim.x == 64);
  CHECK(*static_cast<uint64_t *>(read.kernelParams[4]) == 4);
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, nullptr));
  CHECK(out.read() == std::vector<uint64_t>{1, 2, 3, 4});
  // A later instantiation sees new parameters, the old one does not.
  KernelNode second(module.function("mixed"), out.get(), uint8_t(5), uint16_t(6), 7u,
                    uint64_t(8));
  HIP_OK(hipGraphKernelNodeSetParams(node, second.get()));
  HIP_OK(hipGraphLaunch(g.exec, nullptr));
  CHECK(out.read() == std::vector<uint64_t>{1, 2, 3, 4});
  hipGraphExec_t later;
  HIP_OK(hipGraphInstantiateWithFlags(&later, g.graph, 0));
  HIP_OK(hipGraphLaunch(later, nullptr));
  CHECK(out.read() == std::vector<uint64_t>{5, 6, 7, 8});
  HIP_OK(hipGraphExecDestroy(later));
}

TEST_CASE("Unit_hipGraphLaunch_DiamondInOrder", "[graph]") {
  // log: 0, then 1..4 in any order, then 5.
  Module module("hip_surface");
  Buffer<uint32_t> log(16);
  HIP_OK(hipMemset(log.get(), 0, 64));
  Graph g;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  hipGraphNode_t top, middle[4], bottom;
  auto add = [&](hipGraphNode_t &node, const hipGraphNode_t *after, size_t count, uint32_t id) {
    KernelNode p(module.function("append"), log.get(), id);
    HIP_OK(hipGraphAddKernelNode(&node, g.graph, after, count, p.get()));
  };
  add(bottom, nullptr, 0, 5); // Created first: edges decide, not creation.
  for (uint32_t i = 0; i < 4; ++i)
    add(middle[i], nullptr, 0, 1 + i);
  add(top, nullptr, 0, 0);
  for (hipGraphNode_t node : middle) {
    HIP_OK(hipGraphAddDependencies(g.graph, &top, &node, 1));
    HIP_OK(hipGraphAddDependencies(g.graph, &node, &bottom, 1));
  }
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, nullptr));
  Words got = log.read();
  CHECK(got[0] == 6);
  CHECK(got[1] == 0);
  CHECK(got[6] == 5);
  CHECK(std::set<uint32_t>(got.begin() + 2, got.begin() + 6) == std::set<uint32_t>{1, 2, 3, 4});
}

TEST_CASE("Unit_hipGraphAddNodes_AllKinds", "[graph]") {
  Buffer<uint32_t> a(64), b(64);
  Words host(64, 9), back(64);
  Graph g;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  hipGraphNode_t in, fill, out, call, end;
  HIP_OK(hipGraphAddMemcpyNode1D(&in, g.graph, nullptr, 0, a.get(), host.data(), 256,
                                 hipMemcpyHostToDevice));
  // 2 rows of 8 dwords, 64 bytes apart, become 0x01020304.
  hipMemsetParams memset = {a.get(), 4, 2, 64, 0x01020304, 8};
  HIP_OK(hipGraphAddMemsetNode(&fill, g.graph, &in, 1, &memset));
  hipMemcpy3DParms copy = {};
  copy.srcPtr = {a.get(), 64, 64, 4};
  copy.dstPtr = {b.get(), 32, 32, 4};
  copy.extent = {32, 4, 1}; // The first 8 dwords of each of 4 rows of 16.
  copy.kind = hipMemcpyDeviceToDevice;
  HIP_OK(hipGraphAddMemcpyNode(&out, g.graph, &fill, 1, &copy));
  int calls = 0;
  hipHostNodeParams host2 = {[](void *count) { ++*static_cast<int *>(count); }, &calls};
  HIP_OK(hipGraphAddHostNode(&call, g.graph, &out, 1, &host2));
  HIP_OK(hipGraphAddEmptyNode(&end, g.graph, &call, 1));
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, nullptr));
  HIP_OK(hipDeviceSynchronize());
  CHECK(calls == 1);
  Words expected(32, 9);
  std::fill_n(expected.begin(), 16, 0x01020304u);
  Words got = b.read();
  got.resize(32);
  CHECK(got == expected);
  hipMemcpy3DParms readCopy;
  HIP_OK(hipGraphMemcpyNodeGetParams(out, &readCopy));
  CHECK(readCopy.extent.height == 4);
  hipMemsetParams readMemset;
  HIP_OK(hipGraphMemsetNodeGetParams(fill, &readMemset));
  CHECK(readMemset.pitch == 64);
  hipHostNodeParams readHost;
  HIP_OK(hipGraphHostNodeGetParams(call, &readHost));
  CHECK(readHost.userData == &calls);
}

TEST_CASE("Unit_hipGraphAddChildGraphNode_SplicedIn", "[graph]") {
  Module module("hip_surface");
  Buffer<uint32_t> log(16);
  HIP_OK(hipMemset(log.get(), 0, 64));
  auto append = [&](hipGraph_t graph, const hipGraphNode_t *after, size_t count, uint32_t id) {
    hipGraphNode_t node;
    KernelNode p(module.function("append"), log.get(), id);
    HIP_OK(hipGraphAddKernelNode(&node, graph, after, count, p.get()));
    return node;
  };
  Graph child, g;
  HIP_OK(hipGraphCreate(&child.graph, 0));
  hipGraphNode_t inner = append(child.graph, nullptr, 0, 1);
  append(child.graph, &inner, 1, 2);
  HIP_OK(hipGraphCreate(&g.graph, 0));
  hipGraphNode_t before = append(g.graph, nullptr, 0, 0), node;
  HIP_OK(hipGraphAddChildGraphNode(&node, g.graph, &before, 1, child.graph));
  append(g.graph, &node, 1, 3);
  append(child.graph, nullptr, 0, 77); // The node has a copy of its own.
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, nullptr));
  Words got = log.read();
  got.resize(5);
  CHECK(got == Words{4, 0, 1, 2, 3});
  hipGraph_t copy;
  HIP_OK(hipGraphChildGraphNodeGetGraph(node, &copy));
  CHECK(nodeCount(copy) == 2);
  CHECK(hipGraphDestroy(copy) == hipErrorIllegalState);
}

TEST_CASE("Unit_hipGraphClone_FindAndIndependence", "[graph]") {
  Graph g, clone;
  hipGraphNode_t a, b, found;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  HIP_OK(hipGraphAddEmptyNode(&a, g.graph, nullptr, 0));
  HIP_OK(hipGraphAddEmptyNode(&b, g.graph, &a, 1));
  HIP_OK(hipGraphClone(&clone.graph, g.graph));
  HIP_OK(hipGraphNodeFindInClone(&found, b, clone.graph));
  CHECK(found != b);
  hipGraphNode_t list[3];
  size_t count = 3; // More than there are: the rest becomes null.
  HIP_OK(hipGraphNodeGetDependencies(found, list, &count));
  CHECK(count == 1);
  CHECK(list[1] == nullptr);
  count = 0;
  HIP_OK(hipGraphNodeGetDependentNodes(list[0], nullptr, &count));
  CHECK(count == 1);
  HIP_OK(hipGraphDestroyNode(b));
  CHECK(nodeCount(g.graph) == 1);
  CHECK(nodeCount(clone.graph) == 2);
  CHECK(hipGraphNodeFindInClone(&found, b, clone.graph) == hipErrorInvalidValue);
  hipGraphNodeType type;
  CHECK(hipGraphNodeGetType(b, &type) == hipErrorInvalidValue);
}

TEST_CASE("Unit_hipGraphAddDependencies_BadEdges", "[graph]") {
  Graph g, other;
  hipGraphNode_t a, b, foreign;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  HIP_OK(hipGraphCreate(&other.graph, 0));
  HIP_OK(hipGraphAddEmptyNode(&a, g.graph, nullptr, 0));
  HIP_OK(hipGraphAddEmptyNode(&b, g.graph, &a, 1));
  HIP_OK(hipGraphAddEmptyNode(&foreign, other.graph, nullptr, 0));
  CHECK(hipGraphAddDependencies(g.graph, &a, &b, 1) == hipErrorInvalidValue);      // Twice.
  CHECK(hipGraphAddDependencies(g.graph, &a, &a, 1) == hipErrorInvalidValue);      // Itself.
  CHECK(hipGraphAddDependencies(g.graph, &a, &foreign, 1) == hipErrorInvalidValue);
  CHECK(hipGraphRemoveDependencies(g.graph, &b, &a, 1) == hipErrorInvalidValue);   // None.
  HIP_OK(hipGraphAddDependencies(g.graph, &b, &a, 1)); // A cycle, found here:
  CHECK(hipGraphInstantiate(&g.exec, g.graph, nullptr, nullptr, 0) == hipErrorInvalidValue);
  CHECK(std::string(hipsimLastReport()).find("cycle") != std::string::npos);
  HIP_OK(hipGraphRemoveDependencies(g.graph, &b, &a, 1));
  g.instantiate();
}

TEST_CASE("Unit_hipGraphLaunch_TenThousandReplays", "[graph]") {
  // out = in + 7, then * 3, with another input every time.
  Module module("hip_surface");
  Buffer<uint32_t> in(64), out(64);
  Words input(64), output(64);
  Stream stream;
  Graph g;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipMemcpyAsync(in.get(), input.data(), 256, hipMemcpyHostToDevice, stream));
  HIP_OK(launch(module.function("add"), stream, 1, out.get(), in.get(), 7u));
  HIP_OK(launch(module.function("scale"), stream, 1, out.get(), 3u));
  HIP_OK(hipMemcpyAsync(output.data(), out.get(), 256, hipMemcpyDeviceToHost, stream));
  HIP_OK(hipStreamEndCapture(stream, &g.graph));
  g.instantiate();
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < 10000; ++i) {
    for (uint32_t l = 0; l < 64; ++l)
      input[l] = i * 64 + l;
    if (hipGraphLaunch(g.exec, stream) || hipStreamSynchronize(stream))
      FAIL("replay " << i << ": " << hipsimLastReport());
    for (uint32_t l = 0; l < 64; ++l)
      wrong += output[l] != (i * 64 + l + 7) * 3;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Unit_hipGraphLaunch_HostCostDoesNotGrow", "[graph]") {
  // 200 nodes cost the caller what one does: compare the medians of 300 launches
  // behind a host function that holds the device, so that only queueing counts.
  auto medianOf = [](size_t nodes) {
    Stream stream;
    Buffer<uint32_t> data(64);
    Graph g;
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (size_t i = 0; i < nodes; ++i)
      HIP_OK(hipMemsetAsync(data.get(), int(i), 256, stream));
    HIP_OK(hipStreamEndCapture(stream, &g.graph));
    g.instantiate();
    std::atomic<bool> go{false};
    auto hold = [](void *flag) {
      while (!*static_cast<std::atomic<bool> *>(flag))
        std::this_thread::yield();
    };
    HIP_OK(hipLaunchHostFunc(stream, hold, &go));
    std::vector<double> times;
    for (int i = 0; i < 300; ++i) {
      auto begin = std::chrono::steady_clock::now();
      HIP_OK(hipGraphLaunch(g.exec, stream));
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    go = true;
    HIP_OK(hipStreamSynchronize(stream));
    std::nth_element(times.begin(), times.begin() + 150, times.end());
    return times[150];
  };
  double small = medianOf(1), large = medianOf(200);
  INFO("1 node: " << small * 1e6 << " us, 200 nodes: " << large * 1e6 << " us");
  CHECK(large < 10 * small + 20e-6); // 200 times as much would be far above.
}

TEST_CASE("Unit_hipGraphExecDestroy_WhileRunning", "[graph]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(64, 1));
  Stream stream;
  {
    Graph g;
    HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP_OK(launch(module.function("scale"), stream, 1, data.get(), 2u));
    HIP_OK(hipStreamEndCapture(stream, &g.graph));
    g.instantiate();
    for (int i = 0; i < 10; ++i)
      HIP_OK(hipGraphLaunch(g.exec, stream));
  }
  HIP_OK(hipStreamSynchronize(stream));
  CHECK(data.read() == Words(64, 1024)); // 2^10
}

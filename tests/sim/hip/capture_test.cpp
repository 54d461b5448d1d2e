// Stream capture: what is recorded, forks and joins, who may end it.
#include "tests/sim/hip/surface.h"

#include <thread>

TEST_CASE("Unit_hipStreamBeginCapture_NothingRuns", "[capture]") {
  Module module("hip_surface");
  Buffer<uint32_t> data(Words(64, 5));
  Stream stream;
  Graph g;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(statusOf(stream) == hipStreamCaptureStatusActive);
  HIP_OK(hipMemsetAsync(data.get(), 1, 256, stream));
  HIP_OK(launch(module.function("scale"), stream, 1, data.get(), 2u));
  HIP_OK(hipStreamEndCapture(stream, &g.graph));
  CHECK(statusOf(stream) == hipStreamCaptureStatusNone);
  CHECK(data.read() == Words(64, 5));
  CHECK(nodeCount(g.graph) == 2);
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, stream));
  HIP_OK(hipStreamSynchronize(stream));
  CHECK(data.read() == Words(64, 0x02020202));
}

TEST_CASE("Unit_hipStreamBeginCapture_BadArguments", "[capture]") {
  Stream stream;
  hipGraph_t graph;
  CHECK(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal) ==
        hipErrorStreamCaptureUnsupported);
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureMode(3)) == hipErrorInvalidValue);
  CHECK(hipStreamBeginCapture(hipStream_t(&stream), hipStreamCaptureModeGlobal) ==
        hipErrorInvalidHandle);
  CHECK(hipStreamEndCapture(stream, &graph) == hipErrorIllegalState);
  CHECK(hipStreamEndCapture(nullptr, &graph) == hipErrorIllegalState);
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal) == hipErrorIllegalState);
  CHECK(hipStreamEndCapture(stream, nullptr) == hipErrorInvalidValue);
  HIP_OK(hipStreamEndCapture(stream, &graph));
  CHECK(nodeCount(graph) == 0);
  HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("Unit_hipStreamBeginCapture_PerThreadStream", "[capture]") {
  Buffer<uint32_t> data(64);
  Graph g;
  HIP_OK(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeThreadLocal));
  HIP_OK(hipMemsetAsync(data.get(), 0, 256, hipStreamPerThread));
  HIP_OK(hipStreamEndCapture(hipStreamPerThread, &g.graph));
  CHECK(nodeCount(g.graph) == 1);
}

TEST_CASE("Unit_hipStreamWaitEvent_ForkAndJoin", "[capture]") {
  Module module("hip_surface");
  Buffer<uint32_t> a(Words(64, 1)), b(64), c(64);
  Stream main, side;
  Event fork, join;
  Graph g;
  HIP_OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  HIP_OK(launch(module.function("scale"), main, 1, a.get(), 10u));
  HIP_OK(hipEventRecord(fork, main));
  HIP_OK(hipStreamWaitEvent(side, fork, 0));
  CHECK(statusOf(side) == hipStreamCaptureStatusActive);
  HIP_OK(launch(module.function("add"), side, 1, b.get(), a.get(), 1u));
  HIP_OK(launch(module.function("add"), main, 1, c.get(), a.get(), 2u));
  hipGraph_t none;
  CHECK(hipStreamEndCapture(side, &none) == hipErrorStreamCaptureUnmatched);
  HIP_OK(hipEventRecord(join, side));
  HIP_OK(hipStreamWaitEvent(main, join, 0));
  HIP_OK(launch(module.function("add"), main, 1, a.get(), b.get(), 100u));
  HIP_OK(hipStreamEndCapture(main, &g.graph));
  CHECK(statusOf(side) == hipStreamCaptureStatusNone);
  // scale -> {side add, main add} -> last add.
  size_t edges = 0, roots = 0;
  HIP_OK(hipGraphGetEdges(g.graph, nullptr, nullptr, &edges));
  HIP_OK(hipGraphGetRootNodes(g.graph, nullptr, &roots));
  CHECK(nodeCount(g.graph) == 4);
  CHECK(edges == 4);
  CHECK(roots == 1);
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, side));
  HIP_OK(hipStreamSynchronize(side));
  CHECK(b.read() == Words(64, 11));  // 1 * 10 + 1
  CHECK(c.read() == Words(64, 12));  // 1 * 10 + 2
  CHECK(a.read() == Words(64, 111)); // 11 + 100
}

TEST_CASE("Unit_hipStreamWaitEvent_ForkAcrossDevices", "[capture]") {
  Module first("hip_surface");
  Buffer<uint32_t> a(Words(64, 3)), back(64);
  Stream main;
  Event fork;
  HIP_OK(hipSetDevice(1));
  Module second("hip_surface");
  Buffer<uint32_t> b(64);
  Stream side;
  Event join;
  HIP_OK(hipSetDevice(0));
  Graph g;
  HIP_OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  HIP_OK(launch(first.function("scale"), main, 1, a.get(), 5u));
  HIP_OK(hipEventRecord(fork, main));
  HIP_OK(hipStreamWaitEvent(side, fork, 0));
  HIP_OK(hipMemcpyPeerAsync(b.get(), 1, a.get(), 0, 256, side));
  HIP_OK(launch(second.function("scale"), side, 1, b.get(), 7u));
  HIP_OK(hipEventRecord(join, side));
  HIP_OK(hipStreamWaitEvent(main, join, 0));
  HIP_OK(hipMemcpyPeerAsync(back.get(), 0, b.get(), 1, 256, main));
  HIP_OK(hipStreamEndCapture(main, &g.graph));
  g.instantiate();
  HIP_OK(hipGraphLaunch(g.exec, main));
  HIP_OK(hipStreamSynchronize(main));
  CHECK(back.read() == Words(64, 105)); // 3 * 5 * 7
}

TEST_CASE("Unit_hipStreamEndCapture_Unjoined", "[capture]") {
  Buffer<uint32_t> data(64);
  Stream main, side;
  Event fork;
  hipGraph_t graph = nullptr;
  HIP_OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  HIP_OK(hipEventRecord(fork, main));
  HIP_OK(hipStreamWaitEvent(side, fork, 0));
  HIP_OK(hipMemsetAsync(data.get(), 0, 256, side));
  HIP_OK(hipMemsetAsync(data.get(), 0, 256, main));
  CHECK(hipStreamEndCapture(main, &graph) == hipErrorStreamCaptureUnjoined);
  CHECK(graph == nullptr);
  CHECK(statusOf(main) == hipStreamCaptureStatusNone);
  CHECK(statusOf(side) == hipStreamCaptureStatusNone);
}

TEST_CASE("Unit_hipStreamWaitEvent_IsolationAndMerge", "[capture]") {
  Stream one, two;
  Event outside, inside;
  hipGraph_t graph;
  HIP_OK(hipEventRecord(outside, two));
  HIP_OK(hipStreamBeginCapture(one, hipStreamCaptureModeGlobal));
  CHECK(hipStreamWaitEvent(one, outside, 0) == hipErrorStreamCaptureIsolation);
  CHECK(hipStreamEndCapture(one, &graph) == hipErrorStreamCaptureInvalidated);

  HIP_OK(hipStreamBeginCapture(one, hipStreamCaptureModeGlobal));
  HIP_OK(hipStreamBeginCapture(two, hipStreamCaptureModeGlobal));
  HIP_OK(hipEventRecord(inside, one));
  CHECK(hipStreamWaitEvent(two, inside, 0) == hipErrorStreamCaptureMerge);
  CHECK(hipStreamEndCapture(one, &graph) == hipErrorStreamCaptureInvalidated);
  CHECK(hipStreamEndCapture(two, &graph) == hipErrorStreamCaptureInvalidated);
}

TEST_CASE("Unit_hipStreamEndCapture_WrongThread", "[capture]") {
  Stream stream;
  for (auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal,
                    hipStreamCaptureModeRelaxed}) {
    hipGraph_t graph = nullptr;
    hipError_t elsewhere = hipSuccess;
    HIP_OK(hipStreamBeginCapture(stream, mode));
    std::thread([&] { elsewhere = hipStreamEndCapture(stream, &graph); }).join();
    if (mode == hipStreamCaptureModeRelaxed) {
      CHECK(elsewhere == hipSuccess);
    } else {
      CHECK(elsewhere == hipErrorStreamCaptureWrongThread);
      HIP_OK(hipStreamEndCapture(stream, &graph));
    }
    HIP_OK(hipGraphDestroy(graph));
  }
}

TEST_CASE("Unit_hipStreamGetCaptureInfo_IdAndDependencies", "[capture]") {
  Buffer<uint32_t> data(64);
  Stream stream;
  hipStreamCaptureStatus status;
  unsigned long long id = 0, again = 0;
  hipGraph_t graph = nullptr, ended = nullptr;
  const hipGraphNode_t *dependencies = nullptr;
  size_t count = 99;
  HIP_OK(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &dependencies, &count));
  CHECK(status == hipStreamCaptureStatusNone);
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipStreamGetCaptureInfo(stream, &status, &id));
  HIP_OK(hipMemsetAsync(data.get(), 0, 256, stream));
  HIP_OK(hipStreamGetCaptureInfo_v2(stream, &status, &again, &graph, &dependencies, &count));
  CHECK(status == hipStreamCaptureStatusActive);
  CHECK(id == again);
  REQUIRE(count == 1);
  hipGraphNodeType type;
  HIP_OK(hipGraphNodeGetType(dependencies[0], &type));
  CHECK(type == hipGraphNodeTypeMemset);
  CHECK(hipGraphDestroy(graph) == hipErrorIllegalState); // It is being captured.
  HIP_OK(hipStreamEndCapture(stream, &ended));
  CHECK(graph == ended);
  HIP_OK(hipGraphDestroy(ended));
}

TEST_CASE("Unit_hipStreamUpdateCaptureDependencies_SetAndAdd", "[capture]") {
  Buffer<uint32_t> data(64);
  Stream stream;
  hipStreamCaptureStatus status;
  Graph g;
  hipGraphNode_t manual;
  CHECK(hipStreamUpdateCaptureDependencies(stream, nullptr, 0, 0) == hipErrorIllegalState);
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipMemsetAsync(data.get(), 1, 256, stream));
  hipGraph_t graph;
  HIP_OK(hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr));
  HIP_OK(hipGraphAddEmptyNode(&manual, graph, nullptr, 0));
  CHECK(hipStreamUpdateCaptureDependencies(stream, &manual, 1, 2) == hipErrorInvalidValue);
  HIP_OK(hipStreamUpdateCaptureDependencies(stream, &manual, 1,
                                            hipStreamSetCaptureDependencies));
  HIP_OK(hipMemsetAsync(data.get(), 2, 256, stream));
  // The first memset was taken out of the dependencies: it need not be joined.
  HIP_OK(hipStreamEndCapture(stream, &g.graph));
  hipGraphNode_t from[4], to[4];
  size_t edges = 4;
  HIP_OK(hipGraphGetEdges(g.graph, from, to, &edges));
  REQUIRE(edges == 1);
  CHECK(from[0] == manual);
}

TEST_CASE("Unit_hipStreamBeginCaptureToGraph_Appends", "[capture]") {
  Buffer<uint32_t> data(64);
  Stream stream;
  Graph g;
  hipGraphNode_t root;
  hipGraph_t same;
  HIP_OK(hipGraphCreate(&g.graph, 0));
  HIP_OK(hipGraphAddEmptyNode(&root, g.graph, nullptr, 0));
  HIP_OK(hipStreamBeginCaptureToGraph(stream, g.graph, &root, nullptr, 1,
                                      hipStreamCaptureModeGlobal));
  HIP_OK(hipMemsetAsync(data.get(), 0, 256, stream));
  HIP_OK(hipStreamEndCapture(stream, &same));
  CHECK(same == g.graph);
  size_t edges = 0;
  HIP_OK(hipGraphGetEdges(g.graph, nullptr, nullptr, &edges));
  CHECK(nodeCount(g.graph) == 2);
  CHECK(edges == 1);
}

TEST_CASE("Unit_hipStreamDestroy_WhileCapturing", "[capture]") {
  Stream side;
  hipGraph_t graph;
  {
    Stream main;
    Event fork;
    HIP_OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
    HIP_OK(hipEventRecord(fork, main));
    HIP_OK(hipStreamWaitEvent(side, fork, 0));
  }
  CHECK(statusOf(side) == hipStreamCaptureStatusNone);
  CHECK(hipStreamEndCapture(side, &graph) == hipErrorIllegalState);
  void *pointer;
  HIP_OK(hipMalloc(&pointer, 4)); // Nothing captures any more.
  HIP_OK(hipFree(pointer));
}

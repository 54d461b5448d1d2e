// What a capture forbids: every call with its error in each capture mode, that
// the capture is invalid afterwards, and that the stream works again.
#include "tests/sim/hip/surface.h"

#include <fstream>
#include <functional>
#include <thread>

namespace {

const hipError_t unsupported = hipErrorStreamCaptureUnsupported,
                 implicit = hipErrorStreamCaptureImplicit,
                 captured = hipErrorCapturedEvent, fine = hipSuccess;

/// What the calls work on; all of it exists before the capture begins.
struct Things {
  Things() : module("hip_surface"), scratch("hip_surface") {
    std::ifstream file(HIPSIM_TEST_KERNELS "/hip_surface.hsaco", std::ios::binary);
    image.assign(std::istreambuf_iterator<char>(file), {});
    HIP_OK(hipMalloc(&spare, 4096));
    HIP_OK(hipHostMalloc(&pinned, 4096, 0));
    HIP_OK(hipHostRegister(registered, sizeof(registered), 0));
    HIP_OK(hipGraphCreate(&graph.graph, 0));
    graph.instantiate();
  }
  ~Things() {
    (void)hipFree(spare);
    (void)hipHostFree(pinned);
    (void)hipHostUnregister(registered);
  }
  Module module, scratch;
  std::vector<char> image;
  Buffer<uint32_t> data{64};
  void *spare = nullptr, *pinned = nullptr, *out = nullptr;
  uint32_t registered[64];
  Event event;
  Graph graph;
  hipModule_t loaded = nullptr;
  hipIpcMemHandle_t handle;
};

struct Call {
  const char *name;
  hipError_t global, threadLocal, relaxed;
  std::function<hipError_t(Things &, hipStream_t)> make;
};

void ignore(hipStream_t, hipError_t, void *) {}
void nothing(void *) {}

const Call unsafeCalls[] = {
    {"hipMalloc", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipMalloc(&t.out, 64); }},
    {"hipMallocPitch", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) {
       size_t pitch;
       return hipMallocPitch(&t.out, &pitch, 8, 8);
     }},
    {"hipHostMalloc", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipHostMalloc(&t.out, 64, 0); }},
    {"hipFree", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipFree(t.spare); }},
    {"hipHostFree", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipHostFree(t.pinned); }},
    {"hipHostRegister", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipHostRegister(t.image.data(), 16, 0); }},
    {"hipHostUnregister", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipHostUnregister(t.registered); }},
    {"hipModuleLoad", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) {
       return hipModuleLoad(&t.loaded, HIPSIM_TEST_KERNELS "/hip_surface.hsaco");
     }},
    {"hipModuleLoadData", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipModuleLoadData(&t.loaded, t.image.data()); }},
    {"hipModuleUnload", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipModuleUnload(t.scratch.get()); }},
    {"hipIpcGetMemHandle", unsupported, unsupported, fine,
     [](Things &t, hipStream_t) { return hipIpcGetMemHandle(&t.handle, t.spare); }},
};

const Call waitingCalls[] = {
    {"hipDeviceSynchronize", unsupported, unsupported, unsupported,
     [](Things &, hipStream_t) { return hipDeviceSynchronize(); }},
    {"hipDeviceReset", unsupported, unsupported, unsupported,
     [](Things &, hipStream_t) { return hipDeviceReset(); }},
    {"hipStreamSynchronize", unsupported, unsupported, unsupported,
     [](Things &, hipStream_t s) { return hipStreamSynchronize(s); }},
    {"hipStreamQuery", unsupported, unsupported, unsupported,
     [](Things &, hipStream_t s) { return hipStreamQuery(s); }},
    {"hipStreamAddCallback", unsupported, unsupported, unsupported,
     [](Things &, hipStream_t s) { return hipStreamAddCallback(s, ignore, nullptr, 0); }},
    {"hipMallocAsync", unsupported, unsupported, unsupported,
     [](Things &t, hipStream_t s) { return hipMallocAsync(&t.out, 64, s); }},
    {"hipFreeAsync", unsupported, unsupported, unsupported,
     [](Things &t, hipStream_t s) { return hipFreeAsync(t.spare, s); }},
    {"hipGraphLaunch", unsupported, unsupported, unsupported,
     [](Things &t, hipStream_t s) { return hipGraphLaunch(t.graph.exec, s); }},
    {"hipMemcpy", implicit, implicit, implicit,
     [](Things &t, hipStream_t) {
       return hipMemcpy(t.data.get(), t.registered, 4, hipMemcpyHostToDevice);
     }},
    {"hipMemset", implicit, implicit, implicit,
     [](Things &t, hipStream_t) { return hipMemset(t.data.get(), 0, 4); }},
    {"hipEventQuery", captured, captured, captured,
     [](Things &t, hipStream_t) { return hipEventQuery(t.event); }},
    {"hipEventSynchronize", captured, captured, captured,
     [](Things &t, hipStream_t) { return hipEventSynchronize(t.event); }},
    {"hipEventElapsedTime", captured, captured, captured,
     [](Things &t, hipStream_t) {
       float ms;
       return hipEventElapsedTime(&ms, t.event, t.event);
     }},
};

/// Calls on the legacy stream: forbidden while a blocking stream captures.
const Call legacyCalls[] = {
    {"hipMemsetAsync", implicit, implicit, implicit,
     [](Things &t, hipStream_t) { return hipMemsetAsync(t.data.get(), 0, 4, nullptr); }},
    {"hipModuleLaunchKernel", implicit, implicit, implicit,
     [](Things &t, hipStream_t) {
       return launch(t.module.function("scale"), nullptr, 1, t.data.get(), 1u);
     }},
    {"hipEventRecord", implicit, implicit, implicit,
     [](Things &t, hipStream_t) { return hipEventRecord(t.event, nullptr); }},
    {"hipStreamSynchronize", implicit, implicit, implicit,
     [](Things &, hipStream_t) { return hipStreamSynchronize(nullptr); }},
    {"hipStreamQuery", implicit, implicit, implicit,
     [](Things &, hipStream_t) {
       hipError_t error = hipStreamQuery(nullptr);
       return error == hipErrorNotReady ? hipSuccess : error;
     }},
    {"hipLaunchHostFunc", implicit, implicit, implicit,
     [](Things &, hipStream_t) { return hipLaunchHostFunc(nullptr, nothing, nullptr); }},
};

/// Begins a capture, makes the call, and checks its result and what follows.
void check(const Call &call, hipStreamCaptureMode mode, unsigned streamFlags,
           hipError_t expected) {
  Things things;
  Stream stream(streamFlags);
  INFO(call.name << ", capture mode " << mode << ", stream flags " << streamFlags);
  HIP_OK(hipStreamBeginCapture(stream, mode));
  HIP_OK(hipMemsetAsync(things.data.get(), 1, 4, stream));
  HIP_OK(hipEventRecord(things.event, stream));
  hipError_t error = call.make(things, stream);
  CHECK(hipGetErrorName(error) == std::string(hipGetErrorName(expected)));
  hipGraph_t graph = nullptr;
  if (expected == hipSuccess) {
    CHECK(statusOf(stream) == hipStreamCaptureStatusActive);
    HIP_OK(hipStreamEndCapture(stream, &graph));
    HIP_OK(hipGraphDestroy(graph));
    return;
  }
  CHECK(statusOf(stream) == hipStreamCaptureStatusInvalidated);
  CHECK(hipMemsetAsync(things.data.get(), 1, 4, stream) == hipErrorStreamCaptureInvalidated);
  CHECK(hipStreamEndCapture(stream, &graph) == hipErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);
  CHECK(statusOf(stream) == hipStreamCaptureStatusNone);
  // Forbidden means not done: the objects are alive, and the stream works.
  HIP_OK(hipMemsetAsync(things.spare, 2, 4, stream));
  HIP_OK(hipStreamSynchronize(stream));
  CHECK(things.data.read()[0] == 0xffffffffu);
}

void checkAll(const Call &call, unsigned streamFlags, bool allowed = false) {
  check(call, hipStreamCaptureModeGlobal, streamFlags, allowed ? fine : call.global);
  check(call, hipStreamCaptureModeThreadLocal, streamFlags, allowed ? fine : call.threadLocal);
  check(call, hipStreamCaptureModeRelaxed, streamFlags, allowed ? fine : call.relaxed);
}

} // namespace

TEST_CASE("Unit_hipStreamBeginCapture_UnsafeCalls", "[capture]") {
  for (const Call &call : unsafeCalls)
    checkAll(call, hipStreamNonBlocking);
}

TEST_CASE("Unit_hipStreamBeginCapture_WaitingCalls", "[capture]") {
  for (const Call &call : waitingCalls)
    checkAll(call, hipStreamNonBlocking);
}

TEST_CASE("Unit_hipStreamBeginCapture_LegacyStreamBlocking", "[capture]") {
  for (const Call &call : legacyCalls)
    checkAll(call, hipStreamDefault);
}

TEST_CASE("Unit_hipStreamBeginCapture_LegacyStreamNonBlocking", "[capture]") {
  for (const Call &call : legacyCalls)
    checkAll(call, hipStreamNonBlocking, /*allowed=*/true);
}

TEST_CASE("Unit_hipStreamIsCapturing_LegacyStreamAsksWithoutHarm", "[capture]") {
  Stream stream(hipStreamDefault);
  hipStreamCaptureStatus status;
  hipGraph_t graph;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(hipStreamIsCapturing(nullptr, &status) == implicit);
  CHECK(hipStreamGetCaptureInfo(nullptr, &status, nullptr) == implicit);
  HIP_OK(hipStreamEndCapture(stream, &graph));
  HIP_OK(hipGraphDestroy(graph));
}

TEST_CASE("Unit_hipThreadExchangeStreamCaptureMode_OtherThreads", "[capture]") {
  struct Case {
    hipStreamCaptureMode capture, thread;
    hipError_t expected;
  };
  const auto G = hipStreamCaptureModeGlobal, T = hipStreamCaptureModeThreadLocal,
             R = hipStreamCaptureModeRelaxed;
  // Only a global capture concerns other threads, and only those that care.
  const Case cases[] = {{G, G, unsupported}, {G, T, fine}, {G, R, fine},
                        {T, G, fine},        {T, T, fine}, {T, R, fine},
                        {R, G, fine},        {R, T, fine}, {R, R, fine}};
  for (const Case &c : cases) {
    INFO("capture mode " << c.capture << ", thread mode " << c.thread);
    Stream stream;
    hipError_t error = hipSuccess;
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamBeginCapture(stream, c.capture));
    std::thread([&] {
      hipStreamCaptureMode mode = c.thread;
      void *pointer = nullptr;
      error = hipThreadExchangeStreamCaptureMode(&mode);
      if (!error && mode == hipStreamCaptureModeGlobal && !(error = hipMalloc(&pointer, 16)))
        error = hipFree(pointer);
    }).join();
    CHECK(error == c.expected);
    CHECK(hipStreamEndCapture(stream, &graph) ==
          (c.expected ? hipErrorStreamCaptureInvalidated : hipSuccess));
    if (graph)
      HIP_OK(hipGraphDestroy(graph));
  }
}

TEST_CASE("Unit_hipThreadExchangeStreamCaptureMode_OwnThread", "[capture]") {
  Stream stream;
  void *pointer;
  hipGraph_t graph;
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == hipStreamCaptureModeGlobal);
  HIP_OK(hipMalloc(&pointer, 16));
  HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == hipStreamCaptureModeRelaxed);
  HIP_OK(hipStreamEndCapture(stream, &graph));
  HIP_OK(hipGraphDestroy(graph));
  HIP_OK(hipFree(pointer));
  CHECK(hipThreadExchangeStreamCaptureMode(nullptr) == hipErrorInvalidValue);
  mode = hipStreamCaptureMode(7);
  CHECK(hipThreadExchangeStreamCaptureMode(&mode) == hipErrorInvalidValue);
}

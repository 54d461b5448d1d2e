// Streams and events.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>

using namespace hipsim;

namespace {

Device &deviceOf(const ihipStream_t &stream) {
  return *Runtime::get().devices[stream.device];
}

bool isEvent(hipEvent_t event) {
  Runtime &runtime = Runtime::get();
  std::lock_guard lock(runtime.handles);
  return runtime.events.count(event) != 0;
}

/// HIP's three priorities; others are moved to the nearest.
constexpr int highest = -1, lowest = 1;

constexpr unsigned knownEventFlags =
    hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
    0x20000000u | 0x40000000u | 0x80000000u; // Release scopes.

hipError_t createStream(hipStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags > hipStreamNonBlocking)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  auto *made = new ihipStream_t;
  made->device = currentDevice;
  made->flags = flags;
  made->priority = std::clamp(priority, highest, lowest);
  std::lock_guard lock(runtime.handles);
  runtime.streams.insert(made);
  *stream = made;
  return hipSuccess;
}

} // namespace

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return finish(createStream(stream, flags, 0));
}

hipError_t hipStreamCreate(hipStream_t *stream) {
  return finish(createStream(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  return finish(createStream(stream, flags, priority));
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = lowest;
  if (greatest)
    *greatest = highest;
  return finish(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (runtime.streams.erase(handle) == 0)
      return finish(hipErrorInvalidHandle);
  }
  abandonCapture(*handle);
  deviceOf(*handle).wait(handle->lastSubmitted);
  delete handle;
  return finish(hipSuccess);
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
  ihipStream_t *stream;
  if (hipError_t error = streamForWait(handle, stream))
    return finish(error);
  // The default stream waits for every blocking stream.
  uint64_t ticket = stream->legacy ? Runtime::get().legacyTicket(stream->device)
                                   : stream->lastSubmitted.load();
  return finish(deviceOf(*stream).wait(ticket));
}

hipError_t hipStreamQuery(hipStream_t handle) {
  ihipStream_t *stream;
  if (hipError_t error = streamForWait(handle, stream))
    return finish(error);
  Device &device = deviceOf(*stream);
  uint64_t ticket = stream->legacy ? Runtime::get().legacyTicket(stream->device)
                                   : stream->lastSubmitted.load();
  if (!device.isDone(ticket))
    return finish(hipErrorNotReady);
  return finish(device.error());
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags) {
  if (flags)
    return finish(flags == 1 ? hipErrorNotSupported : hipErrorInvalidValue);
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  hipError_t error = hipSuccess;
  if (captureWait(*stream, event, error))
    return finish(error);
  if ((error = streamForWork(handle, stream)))
    return finish(error);
  // On one device, commands already run in the order of submission.
  if (event->ticket && event->device != stream->device) {
    Device &other = *Runtime::get().devices[event->device];
    uint64_t ticket = event->ticket;
    deviceOf(*stream).submit(*stream, [&other, ticket] { other.wait(ticket); });
  }
  return finish(hipSuccess);
}

hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (!device)
    return finish(hipErrorInvalidValue);
  *device = int(stream->device);
  return finish(hipSuccess);
}

hipError_t hipStreamGetFlags(hipStream_t handle, unsigned *flags) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (!flags)
    return finish(hipErrorInvalidValue);
  *flags = stream->flags;
  return finish(hipSuccess);
}

hipError_t hipStreamGetPriority(hipStream_t handle, int *priority) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (!priority)
    return finish(hipErrorInvalidValue);
  *priority = stream->priority;
  return finish(hipSuccess);
}

hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void *argument) {
  ihipStream_t *stream;
  if (!function)
    return finish(hipErrorInvalidValue);
  if (hipError_t error = streamForWork(handle, stream))
    return finish(error);
  return finish(enqueue(*stream, makeWork(stream->device, HostWork{function, argument})).error);
}

hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback,
                                void *argument, unsigned flags) {
  ihipStream_t *stream;
  if (!callback || flags)
    return finish(hipErrorInvalidValue);
  if (hipError_t error = streamForWork(handle, stream))
    return finish(error);
  if (hipError_t error = refuseInCapture(*stream, "a stream callback"))
    return finish(error);
  Device &device = deviceOf(*stream);
  // Unlike host functions, callbacks learn of errors.
  device.submit(*stream, [=, &device] { callback(handle, device.error(), argument); }, true);
  return finish(hipSuccess);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  if (!event || flags & ~knownEventFlags)
    return finish(hipErrorInvalidValue);
  Runtime &runtime = Runtime::get();
  if (flags & hipEventInterprocess) {
    runtime.report("hipsim: hipEventInterprocess is not supported\n");
    return finish(hipErrorNotSupported);
  }
  auto *made = new ihipEvent_t;
  made->device = currentDevice;
  made->flags = flags;
  std::lock_guard lock(runtime.handles);
  runtime.events.insert(made);
  *event = made;
  return finish(hipSuccess);
}

hipError_t hipEventCreate(hipEvent_t *event) {
  return hipEventCreateWithFlags(event, hipEventDefault);
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t handle, unsigned flags) {
  if (flags) // hipEventRecordExternal: an event node of a graph.
    return finish(flags == 1 ? hipErrorNotSupported : hipErrorInvalidValue);
  ihipStream_t *stream;
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  if (hipError_t error = streamForWork(handle, stream))
    return finish(error);
  if (event->device != stream->device)
    return finish(hipErrorInvalidHandle);
  if (captureRecord(*stream, event))
    return finish(hipSuccess);
  event->ticket = deviceOf(*stream).submit(
      *stream, [event] { event->time = std::chrono::steady_clock::now(); });
  return finish(hipSuccess);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hipEventRecordWithFlags(event, stream, 0);
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  if (hipError_t error = checkEventForWait(event))
    return finish(error);
  return finish(Runtime::get().devices[event->device]->wait(event->ticket));
}

hipError_t hipEventQuery(hipEvent_t event) {
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  if (hipError_t error = checkEventForWait(event))
    return finish(error);
  Device &device = *Runtime::get().devices[event->device];
  if (!device.isDone(event->ticket))
    return finish(hipErrorNotReady);
  return finish(device.error());
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (!milliseconds)
    return finish(hipErrorInvalidValue);
  if (!isEvent(start) || !isEvent(stop))
    return finish(hipErrorInvalidHandle);
  for (hipEvent_t event : {start, stop})
    if (hipError_t error = checkEventForWait(event))
      return finish(error);
  if (!start->ticket || !stop->ticket || start->device != stop->device ||
      ((start->flags | stop->flags) & hipEventDisableTiming))
    return finish(hipErrorInvalidHandle);
  Device &device = *Runtime::get().devices[start->device];
  if (!device.isDone(start->ticket) || !device.isDone(stop->ticket))
    return finish(hipErrorNotReady);
  // Host time of the simulation, not the time of a GPU.
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return finish(hipSuccess);
}

hipError_t hipEventDestroy(hipEvent_t event) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (runtime.events.erase(event) == 0)
      return finish(hipErrorInvalidHandle);
  }
  runtime.devices[event->device]->wait(event->ticket);
  delete event;
  return finish(hipSuccess);
}

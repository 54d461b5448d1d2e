// Streams and events.
#include "runtime/hipsim/hip/runtime.h"

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

constexpr unsigned eventDisableTiming = 2;

} // namespace

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  if (!stream || flags > 1)
    return finish(hipErrorInvalidValue);
  Runtime &runtime = Runtime::get();
  auto *made = new ihipStream_t;
  made->device = currentDevice;
  made->flags = flags;
  std::lock_guard lock(runtime.handles);
  runtime.streams.insert(made);
  *stream = made;
  return finish(hipSuccess);
}

hipError_t hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithFlags(stream, 0);
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int) {
  return hipStreamCreateWithFlags(stream, flags);
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = 0;
  return finish(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  {
    std::lock_guard lock(runtime.handles);
    if (runtime.streams.erase(handle) == 0)
      return finish(hipErrorInvalidHandle);
  }
  deviceOf(*handle).wait(handle->lastSubmitted);
  delete handle;
  return finish(hipSuccess);
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  Device &device = deviceOf(*stream);
  // The default stream waits for every blocking stream.
  if (stream == &device.defaultStream)
    return finish(device.waitAll());
  return finish(device.wait(stream->lastSubmitted));
}

hipError_t hipStreamQuery(hipStream_t handle) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  Device &device = deviceOf(*stream);
  if (!device.isDone(stream->lastSubmitted))
    return finish(hipErrorNotReady);
  return finish(device.error());
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream || !isEvent(event))
    return finish(hipErrorInvalidHandle);
  // On one device, commands already run in the order of submission.
  if (event->ticket && event->device != stream->device) {
    Device &other = *Runtime::get().devices[event->device];
    uint64_t ticket = event->ticket;
    deviceOf(*stream).submit(*stream, [&other, ticket] { other.wait(ticket); });
  }
  return finish(hipSuccess);
}

hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status) {
  if (!status)
    return finish(hipErrorInvalidValue);
  if (!Runtime::get().stream(handle))
    return finish(hipErrorInvalidHandle);
  *status = hipStreamCaptureStatusNone;
  return finish(hipSuccess);
}

hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  if (id)
    *id = 0;
  return hipStreamIsCapturing(handle, status);
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

hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void *argument) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  if (!function)
    return finish(hipErrorInvalidValue);
  deviceOf(*stream).submit(*stream, [=] { function(argument); });
  return finish(hipSuccess);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  if (!event)
    return finish(hipErrorInvalidValue);
  Runtime &runtime = Runtime::get();
  auto *made = new ihipEvent_t;
  made->device = currentDevice;
  made->flags = flags;
  std::lock_guard lock(runtime.handles);
  runtime.events.insert(made);
  *event = made;
  return finish(hipSuccess);
}

hipError_t hipEventCreate(hipEvent_t *event) {
  return hipEventCreateWithFlags(event, 0);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream || !isEvent(event))
    return finish(hipErrorInvalidHandle);
  event->device = stream->device;
  event->ticket = deviceOf(*stream).submit(
      *stream, [event] { event->time = std::chrono::steady_clock::now(); });
  return finish(hipSuccess);
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  return finish(Runtime::get().devices[event->device]->wait(event->ticket));
}

hipError_t hipEventQuery(hipEvent_t event) {
  if (!isEvent(event))
    return finish(hipErrorInvalidHandle);
  Device &device = *Runtime::get().devices[event->device];
  if (!device.isDone(event->ticket))
    return finish(hipErrorNotReady);
  return finish(device.error());
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (!milliseconds)
    return finish(hipErrorInvalidValue);
  if (!isEvent(start) || !isEvent(stop) || !start->ticket || !stop->ticket ||
      ((start->flags | stop->flags) & eventDisableTiming))
    return finish(hipErrorInvalidHandle);
  Runtime &runtime = Runtime::get();
  if (!runtime.devices[start->device]->isDone(start->ticket) ||
      !runtime.devices[stop->device]->isDone(stop->ticket))
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

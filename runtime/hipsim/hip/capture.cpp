// The rules of stream capture.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>

using namespace hipsim;

namespace {

/// What hipThreadExchangeStreamCaptureMode set for this thread.
thread_local hipStreamCaptureMode threadMode = hipStreamCaptureModeGlobal;

bool isBlockingCapture(const Capture &capture) {
  for (const ihipStream_t *stream : capture.streams)
    if (!(stream->flags & hipStreamNonBlocking))
      return true;
  return false;
}

/// The captures mutex is held. True: the legacy stream must not be used.
bool blocksLegacyStream() {
  for (const auto &capture : captures().active)
    if (!capture->invalidated && isBlockingCapture(*capture))
      return true;
  return false;
}

void invalidateAll() {
  for (const auto &capture : captures().active)
    capture->invalidated = true;
}

bool isCaptured(const ihipEvent_t &event) {
  return event.capture && !event.capture->ended;
}

/// Its streams stop capturing. The graph stays.
void end(const std::shared_ptr<Capture> &capture) {
  Captures &all = captures();
  capture->ended = true;
  capture->graph->capturing = false;
  for (ihipStream_t *stream : capture->streams) {
    stream->capture = nullptr;
    stream->tail.clear();
  }
  std::erase(all.active, capture);
  all.count = all.active.size();
}

/// The first captured node that the end of the origin does not wait for.
hipGraphNode_t unjoinedNode(const Capture &capture) {
  std::set<const hipGraphNode *> joined(capture.origin->tail.begin(),
                                        capture.origin->tail.end());
  joined.insert(capture.released.begin(), capture.released.end());
  for (const auto &node : capture.graph->nodes)
    joined.insert(node->dependencies.begin(), node->dependencies.end());
  for (const auto &node : capture.graph->nodes)
    if (!node->byUser && !joined.count(node.get()))
      return node.get();
  return nullptr;
}

/// The captures mutex is held.
void begin(ihipStream_t &stream, hipStreamCaptureMode mode, hipGraph_t graph,
           bool ownsGraph) {
  Captures &all = captures();
  auto capture = std::make_shared<Capture>();
  capture->id = all.nextId++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->graph = graph;
  capture->ownsGraph = ownsGraph;
  graph->capturing = true;
  stream.capture = capture;
  stream.tail.clear();
  all.active.push_back(capture);
  all.count = all.active.size();
}

/// Common checks of the two functions that begin a capture.
hipError_t checkBegin(hipStream_t handle, hipStreamCaptureMode mode,
                      ihipStream_t *&stream) {
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  stream = Runtime::get().stream(handle);
  if (!stream)
    return hipErrorInvalidHandle;
  return stream->legacy ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t endCapture(hipStream_t handle, hipGraph_t *graph) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return hipErrorInvalidHandle;
  std::lock_guard lock(captures().mutex);
  std::shared_ptr<Capture> capture = stream->capture;
  if (stream->legacy || !capture)
    return hipErrorIllegalState;
  if (capture->origin != stream)
    return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  hipError_t error = hipSuccess;
  if (capture->invalidated)
    error = hipErrorStreamCaptureInvalidated;
  else if (unjoinedNode(*capture))
    error = hipErrorStreamCaptureUnjoined;
  end(capture);
  if (!error)
    *graph = capture->graph;
  else if (capture->ownsGraph)
    delete capture->graph;
  return error;
}

hipError_t captureInfo(hipStream_t handle, hipStreamCaptureStatus *status,
                       unsigned long long *id, hipGraph_t *graph,
                       const hipGraphNode_t **dependencies, size_t *count) {
  if (!status)
    return hipErrorInvalidValue;
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return hipErrorInvalidHandle;
  std::lock_guard lock(captures().mutex);
  // An answer, not a use: the captures stay valid.
  if (stream->legacy && blocksLegacyStream())
    return hipErrorStreamCaptureImplicit;
  *status = hipStreamCaptureStatusNone;
  if (!stream->capture)
    return hipSuccess;
  const Capture &capture = *stream->capture;
  *status = capture.invalidated ? hipStreamCaptureStatusInvalidated
                                : hipStreamCaptureStatusActive;
  if (capture.invalidated)
    return hipSuccess;
  stream->shown = stream->tail;
  if (id)
    *id = capture.id;
  if (graph)
    *graph = capture.graph;
  if (dependencies)
    *dependencies = stream->shown.data();
  if (count)
    *count = stream->shown.size();
  return hipSuccess;
}

} // namespace

Captures &hipsim::captures() {
  static Captures *all = new Captures;
  return *all;
}

hipError_t hipsim::checkUnsafeCall() {
  Captures &all = captures();
  if (all.count == 0 || threadMode == hipStreamCaptureModeRelaxed)
    return hipSuccess;
  std::lock_guard lock(all.mutex);
  hipError_t error = hipSuccess;
  for (const auto &capture : all.active) {
    bool mine = capture->mode != hipStreamCaptureModeRelaxed &&
                capture->thread == std::this_thread::get_id();
    bool everybodys = capture->mode == hipStreamCaptureModeGlobal &&
                      threadMode == hipStreamCaptureModeGlobal;
    if (mine || everybodys) {
      capture->invalidated = true;
      error = hipErrorStreamCaptureUnsupported;
    }
  }
  return error;
}

hipError_t hipsim::checkNoCapture(hipError_t error) {
  Captures &all = captures();
  if (all.count == 0)
    return hipSuccess;
  std::lock_guard lock(all.mutex);
  invalidateAll();
  return all.active.empty() ? hipSuccess : error;
}

hipError_t hipsim::streamForWork(hipStream_t handle, ihipStream_t *&stream) {
  stream = Runtime::get().stream(handle);
  if (!stream)
    return hipErrorInvalidHandle;
  if (captures().count == 0)
    return hipSuccess;
  std::lock_guard lock(captures().mutex);
  if (stream->legacy && blocksLegacyStream()) {
    invalidateAll();
    return hipErrorStreamCaptureImplicit;
  }
  return stream->capture && stream->capture->invalidated
             ? hipErrorStreamCaptureInvalidated
             : hipSuccess;
}

hipError_t hipsim::streamForWait(hipStream_t handle, ihipStream_t *&stream) {
  stream = Runtime::get().stream(handle);
  if (!stream)
    return hipErrorInvalidHandle;
  if (captures().count == 0)
    return hipSuccess;
  std::lock_guard lock(captures().mutex);
  if (stream->legacy && blocksLegacyStream()) {
    invalidateAll();
    return hipErrorStreamCaptureImplicit;
  }
  if (!stream->capture)
    return hipSuccess;
  stream->capture->invalidated = true;
  return hipErrorStreamCaptureUnsupported;
}

hipError_t hipsim::checkEventForWait(hipEvent_t event) {
  if (captures().count == 0)
    return hipSuccess;
  std::lock_guard lock(captures().mutex);
  if (!isCaptured(*event))
    return hipSuccess;
  event->capture->invalidated = true;
  return hipErrorCapturedEvent;
}

hipError_t hipsim::refuseInCapture(ihipStream_t &stream, const char *what) {
  if (captures().count == 0)
    return hipSuccess;
  std::lock_guard lock(captures().mutex);
  if (!stream.capture)
    return hipSuccess;
  stream.capture->invalidated = true;
  Runtime::get().report(std::string("hipsim: ") + what +
                        " cannot be captured into a graph\n");
  return hipErrorStreamCaptureUnsupported;
}

bool hipsim::captureWork(ihipStream_t &stream, const WorkPtr &work, hipError_t &error) {
  if (captures().count == 0)
    return false;
  std::lock_guard lock(captures().mutex);
  if (!stream.capture)
    return false;
  if (stream.capture->invalidated) {
    error = hipErrorStreamCaptureInvalidated;
    return true;
  }
  hipGraphNode_t node = addNode(stream.capture->graph, stream.tail.data(),
                                stream.tail.size(), typeOf(*work), work);
  node->byUser = false;
  stream.tail = {node};
  return true;
}

bool hipsim::captureRecord(ihipStream_t &stream, hipEvent_t event) {
  if (captures().count == 0 && !event->capture)
    return false;
  std::lock_guard lock(captures().mutex);
  event->capture = stream.capture;
  event->tail = stream.tail;
  if (event->capture)
    event->ticket = 0; // What it stood for before is forgotten.
  return event->capture != nullptr;
}

bool hipsim::captureWait(ihipStream_t &stream, hipEvent_t event, hipError_t &error) {
  if (captures().count == 0)
    return false;
  std::lock_guard lock(captures().mutex);
  bool captured = isCaptured(*event);
  if (!captured && !stream.capture)
    return false;
  error = hipSuccess;
  if (!captured) {
    // Never recorded: nothing to wait for. Else the edge would leave the graph.
    if (event->ticket) {
      stream.capture->invalidated = true;
      error = hipErrorStreamCaptureIsolation;
    }
    return true;
  }
  Capture &capture = *event->capture;
  if (capture.invalidated) {
    error = hipErrorStreamCaptureInvalidated;
  } else if (stream.legacy) {
    capture.invalidated = true;
    error = hipErrorStreamCaptureImplicit;
  } else if (stream.capture && stream.capture != event->capture) {
    capture.invalidated = stream.capture->invalidated = true;
    error = hipErrorStreamCaptureMerge;
  } else {
    if (!stream.capture) {
      stream.capture = event->capture;
      stream.tail.clear();
      capture.streams.push_back(&stream);
    }
    for (hipGraphNode_t node : event->tail)
      if (std::find(stream.tail.begin(), stream.tail.end(), node) == stream.tail.end())
        stream.tail.push_back(node);
  }
  return true;
}

void hipsim::abandonCapture(ihipStream_t &stream) {
  if (captures().count == 0)
    return;
  std::lock_guard lock(captures().mutex);
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    return;
  capture->invalidated = true;
  if (capture->origin != &stream) {
    std::erase(capture->streams, &stream);
    return;
  }
  end(capture);
  if (capture->ownsGraph)
    delete capture->graph;
}

hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
  ihipStream_t *stream;
  if (hipError_t error = checkBegin(handle, mode, stream))
    return finish(error);
  std::lock_guard lock(captures().mutex);
  if (stream->capture)
    return finish(hipErrorIllegalState);
  begin(*stream, mode, newGraph(), true);
  return finish(hipSuccess);
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t handle, hipGraph_t graph,
                                        const hipGraphNode_t *dependencies,
                                        const void *edgeData, size_t count,
                                        hipStreamCaptureMode mode) {
  ihipStream_t *stream;
  if (edgeData || (count && !dependencies))
    return finish(hipErrorInvalidValue);
  if (hipError_t error = checkBegin(handle, mode, stream))
    return finish(error);
  std::lock_guard lock(captures().mutex);
  if (!graphHandles().graphs.count(graph) || graph->isChild)
    return finish(hipErrorInvalidValue);
  if (stream->capture || graph->capturing)
    return finish(hipErrorIllegalState);
  for (size_t i = 0; i < count; ++i)
    if (!graphHandles().nodes.count(dependencies[i]) || dependencies[i]->graph != graph)
      return finish(hipErrorInvalidValue);
  for (const auto &node : graph->nodes)
    node->byUser = true;
  begin(*stream, mode, graph, false);
  stream->tail.assign(dependencies, dependencies + count);
  return finish(hipSuccess);
}

hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *graph) {
  if (!graph)
    return finish(hipErrorInvalidValue);
  *graph = nullptr;
  return finish(endCapture(handle, graph));
}

hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status) {
  return finish(captureInfo(handle, status, nullptr, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  return finish(captureInfo(handle, status, id, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus *status,
                                      unsigned long long *id, hipGraph_t *graph,
                                      const hipGraphNode_t **dependencies,
                                      size_t *count) {
  return finish(captureInfo(handle, status, id, graph, dependencies, count));
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle,
                                              hipGraphNode_t *dependencies,
                                              size_t count, unsigned flags) {
  ihipStream_t *stream = Runtime::get().stream(handle);
  if (!stream)
    return finish(hipErrorInvalidHandle);
  std::lock_guard lock(captures().mutex);
  if (!stream->capture)
    return finish(hipErrorIllegalState);
  if (stream->capture->invalidated)
    return finish(hipErrorStreamCaptureInvalidated);
  if (flags > hipStreamSetCaptureDependencies || (count && !dependencies))
    return finish(hipErrorInvalidValue);
  Capture &capture = *stream->capture;
  for (size_t i = 0; i < count; ++i)
    if (!graphHandles().nodes.count(dependencies[i]) ||
        dependencies[i]->graph != capture.graph)
      return finish(hipErrorInvalidValue);
  if (flags == hipStreamSetCaptureDependencies) {
    capture.released.insert(capture.released.end(), stream->tail.begin(),
                            stream->tail.end());
    stream->tail.clear();
  }
  for (size_t i = 0; i < count; ++i)
    if (std::find(stream->tail.begin(), stream->tail.end(), dependencies[i]) ==
        stream->tail.end())
      stream->tail.push_back(dependencies[i]);
  return finish(hipSuccess);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    return finish(hipErrorInvalidValue);
  std::swap(*mode, threadMode);
  return finish(hipSuccess);
}

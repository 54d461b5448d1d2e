// Stream capture: which streams record into which graph, and what they forbid.
//
// The rules are those of ROCm 6 and 7:
//  * unsafe calls (allocation, freeing, loading) are refused by the capture mode
//    of the thread and of the captures, and invalidate those captures;
//  * synchronising the device or copying synchronously is refused while any
//    stream captures, in every mode;
//  * the legacy stream is refused while a blocking stream captures.
// An invalidated capture stays until hipStreamEndCapture, which reports it.
#pragma once

#include "runtime/hipsim/hip/graph.h"

namespace hipsim {

struct Capture {
  uint64_t id = 0;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  ihipStream_t *origin = nullptr;
  std::vector<ihipStream_t *> streams; ///< The origin and those that joined.
  hipGraph_t graph = nullptr;
  bool ownsGraph = true; ///< False: the caller gave the graph.
  bool invalidated = false, ended = false;
  /// Taken out of a stream's dependencies by its user: need not be joined.
  std::vector<hipGraphNode_t> released;
};

/// All captures in progress. The mutex guards graphs and their nodes, too.
struct Captures {
  std::mutex mutex;
  std::vector<std::shared_ptr<Capture>> active;
  std::atomic<size_t> count{0}; ///< Of `active`: the fast path of every check.
  uint64_t nextId = 1;
};
Captures &captures();

/// For calls that cannot be recorded: hipErrorStreamCaptureUnsupported.
hipError_t checkUnsafeCall();
/// For calls that wait for everything: invalidates every capture and returns
/// `error` when there is one.
hipError_t checkNoCapture(hipError_t error);

/// The stream of a call that queues work. An error: the handle is dead, the
/// capture of the stream is invalid, or it is the legacy stream while a
/// blocking stream captures (those captures become invalid).
hipError_t streamForWork(hipStream_t handle, ihipStream_t *&stream);
/// The stream of a call that waits or asks; refused while it captures.
hipError_t streamForWait(hipStream_t handle, ihipStream_t *&stream);
/// The same for events: hipErrorCapturedEvent.
hipError_t checkEventForWait(hipEvent_t event);
/// Refuses, and invalidates, when the stream captures: for work that cannot be
/// a graph node.
hipError_t refuseInCapture(ihipStream_t &stream, const char *what);

/// True: the stream captures, and `work` has become a node or `error` is set.
bool captureWork(ihipStream_t &stream, const WorkPtr &work, hipError_t &error);
/// True: the stream captures and the event now stands for its newest nodes.
bool captureRecord(ihipStream_t &stream, hipEvent_t event);
/// True: the wait concerns a capture; `error` is its result.
bool captureWait(ihipStream_t &stream, hipEvent_t event, hipError_t &error);
/// Before a stream is deleted: ends what it takes part in.
void abandonCapture(ihipStream_t &stream);

} // namespace hipsim

// Executable graphs: instantiation, replays, updates.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

/// hipGraphInstantiateFlag: AutoFreeOnLaunch, Upload, UseNodePriority. Device
/// launch (4) does not exist here.
constexpr unsigned long long knownFlags = 1 | 2 | 8;

hipError_t instantiate(hipGraphExec_t *out, hipGraph_t graph, unsigned long long flags) {
  std::lock_guard lock(captures().mutex);
  if (!out || !graphHandles().graphs.count(graph) || flags & ~knownFlags)
    return hipErrorInvalidValue;
  *out = nullptr;
  if (graph->capturing)
    return hipErrorIllegalState;
  auto exec = std::make_unique<hipGraphExec>();
  exec->flags = flags;
  exec->nodes = flatten(*graph);
  exec->plan = std::make_shared<Plan>();
  if (!makePlan(exec->nodes, Runtime::get().seed, *exec->plan)) {
    Runtime::get().report("hipsim: the graph has a cycle\n");
    return hipErrorInvalidValue;
  }
  for (uint32_t i = 0; i < exec->nodes.size(); ++i) {
    exec->nodes[i].node = nullptr;
    exec->indexOf[exec->nodes[i].id] = i;
  }
  *out = exec.get();
  graphHandles().execs.insert(exec.release());
  return hipSuccess;
}

/// Whether `now` may take the place of `old`; else what has changed.
hipGraphExecUpdateResult compare(const PlannedNode &old, const WorkPtr &oldWork,
                                 const PlannedNode &now) {
  if (old.type != now.type)
    return hipGraphExecUpdateErrorNodeTypeChanged;
  if (old.dependencies != now.dependencies)
    return hipGraphExecUpdateErrorTopologyChanged;
  if (!oldWork || !now.node->work)
    return hipGraphExecUpdateSuccess;
  if (old.type == hipGraphNodeTypeKernel && oldWork->device != now.node->work->device)
    return hipGraphExecUpdateErrorUnsupportedFunctionChange;
  if (auto *copy = std::get_if<CopyWork>(&oldWork->what))
    if (copy->kind != std::get<CopyWork>(now.node->work->what).kind)
      return hipGraphExecUpdateErrorParametersChanged;
  return hipGraphExecUpdateSuccess;
}

hipError_t update(hipGraphExec &exec, const ihipGraph &graph,
                  hipGraphNode_t *errorNode, hipGraphExecUpdateResult &result) {
  std::vector<PlannedNode> now = flatten(graph);
  result = hipGraphExecUpdateSuccess;
  if (now.size() != exec.nodes.size())
    result = hipGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < now.size() && !result; ++i) {
    result = compare(exec.nodes[i], (*exec.plan)[exec.nodes[i].position], now[i]);
    if (result && errorNode)
      *errorNode = const_cast<hipGraphNode_t>(now[i].node);
  }
  if (result)
    return hipErrorGraphExecUpdateFailure;
  exec.indexOf.clear();
  for (uint32_t i = 0; i < now.size(); ++i) {
    exec.replace(i, now[i].node->work);
    exec.nodes[i].id = now[i].id; // The nodes of this graph name it from now on.
    exec.indexOf[now[i].id] = i;
  }
  return hipSuccess;
}

/// Replaces the parameters of a node in the executable graph only.
hipError_t replace(hipGraphExec_t exec, hipGraphNode_t node, WorkPtr work) {
  std::lock_guard lock(captures().mutex);
  if (!graphHandles().execs.count(exec) || !graphHandles().nodes.count(node))
    return hipErrorInvalidValue;
  auto found = exec->indexOf.find(node->id);
  if (found == exec->indexOf.end())
    return hipErrorInvalidValue;
  const PlannedNode &planned = exec->nodes[found->second];
  if (planned.type != typeOf(*work))
    return hipErrorInvalidValue;
  const WorkPtr &old = (*exec->plan)[planned.position];
  if (planned.type == hipGraphNodeTypeKernel && old->device != work->device)
    return hipErrorInvalidValue;
  if (auto *copy = std::get_if<CopyWork>(&work->what))
    if (copy->kind != std::get<CopyWork>(old->what).kind)
      return hipErrorInvalidValue;
  exec->replace(found->second, std::move(work));
  return hipSuccess;
}

template <class P>
hipError_t replaceFrom(hipGraphExec_t exec, hipGraphNode_t node, const P *parameters) {
  WorkPtr work;
  if (hipError_t error = workFrom(parameters, work))
    return error;
  return replace(exec, node, work);
}

std::shared_ptr<const Plan> planOf(hipGraphExec_t exec) {
  std::lock_guard lock(captures().mutex);
  return graphHandles().execs.count(exec) ? exec->plan : nullptr;
}

hipError_t launch(hipGraphExec_t exec, hipStream_t handle) {
  auto plan = planOf(exec);
  if (!plan)
    return hipErrorInvalidValue;
  ihipStream_t *stream;
  if (hipError_t error = streamForWork(handle, stream))
    return error;
  if (hipError_t error = refuseInCapture(*stream, "a graph launch"))
    return error;
  Device &device = *Runtime::get().devices[stream->device];
  if (hipError_t error = device.error())
    return error;
  // One command however many nodes there are: the host pays the same.
  device.submit(*stream, [plan, &device] {
    for (const WorkPtr &work : *plan)
      if (work && !device.error())
        perform(*work);
  });
  return hipSuccess;
}

} // namespace

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph,
                               hipGraphNode_t *errorNode, char *log, size_t logBytes) {
  if (errorNode)
    *errorNode = nullptr;
  hipError_t error = instantiate(exec, graph, 0);
  if (log && logBytes) {
    std::strncpy(log, error ? hipGetErrorString(error) : "", logBytes - 1);
    log[logBytes - 1] = 0;
  }
  return finish(error);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph,
                                        unsigned long long flags) {
  return finish(instantiate(exec, graph, flags));
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  std::lock_guard lock(captures().mutex);
  // Launches in flight hold the plan.
  if (graphHandles().execs.erase(exec) == 0)
    return finish(hipErrorInvalidValue);
  delete exec;
  return finish(hipSuccess);
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags) {
  std::lock_guard lock(captures().mutex);
  if (!flags || !graphHandles().execs.count(exec))
    return finish(hipErrorInvalidValue);
  *flags = exec->flags;
  return finish(hipSuccess);
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t handle) {
  if (!planOf(exec))
    return finish(hipErrorInvalidValue);
  ihipStream_t *stream;
  return finish(streamForWork(handle, stream)); // Nothing needs uploading.
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return finish(launch(exec, stream));
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph,
                              hipGraphNode_t *errorNode,
                              hipGraphExecUpdateResult *result) {
  std::lock_guard lock(captures().mutex);
  if (errorNode)
    *errorNode = nullptr;
  if (!result || !graphHandles().execs.count(exec) || !graphHandles().graphs.count(graph))
    return finish(hipErrorInvalidValue);
  return finish(update(*exec, *graph, errorNode, *result));
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *parameters) {
  return finish(replaceFrom(exec, node, parameters));
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hipMemcpy3DParms *parameters) {
  return finish(replaceFrom(exec, node, parameters));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node,
                                             void *dst, const void *src, size_t bytes,
                                             hipMemcpyKind kind) {
  CopyWork copy = {dst, src, bytes};
  copy.kind = kind;
  if (hipError_t error = checkCopy(copy))
    return finish(error);
  return finish(replace(exec, node, makeWork(currentDevice, copy)));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams *parameters) {
  return finish(replaceFrom(exec, node, parameters));
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams *parameters) {
  return finish(replaceFrom(exec, node, parameters));
}

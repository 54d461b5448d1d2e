// Graph nodes: adding them, reading and changing their parameters.
#include "runtime/hipsim/hip/capture.h"

using namespace hipsim;

namespace {

/// Adds a node once its place is legal. The captures mutex is not held.
hipError_t add(hipGraphNode_t *node, hipGraph_t graph,
               const hipGraphNode_t *dependencies, size_t count,
               hipGraphNodeType type, WorkPtr work, hipGraph_t child = nullptr) {
  std::lock_guard lock(captures().mutex);
  GraphHandles &handles = graphHandles();
  if (child && (!handles.graphs.count(child) || child->capturing))
    return hipErrorInvalidValue;
  if (!node || !handles.graphs.count(graph) || (count && !dependencies))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (!handles.nodes.count(dependencies[i]) || dependencies[i]->graph != graph)
      return hipErrorInvalidValue;
    for (size_t j = 0; j < i; ++j)
      if (dependencies[i] == dependencies[j])
        return hipErrorInvalidValue;
  }
  *node = addNode(graph, dependencies, count, type, std::move(work));
  if (child) {
    (*node)->child = cloneGraph(*child);
    (*node)->child->isChild = true;
  }
  return hipSuccess;
}

/// The work of a live node of that kind; null otherwise.
WorkPtr workOf(hipGraphNode_t node, hipGraphNodeType type) {
  std::lock_guard lock(captures().mutex);
  if (!graphHandles().nodes.count(node) || node->type != type)
    return nullptr;
  return node->work;
}

hipError_t change(hipGraphNode_t node, hipGraphNodeType type, WorkPtr work) {
  std::lock_guard lock(captures().mutex);
  if (!graphHandles().nodes.count(node) || node->type != type)
    return hipErrorInvalidValue;
  node->work = std::move(work);
  return hipSuccess;
}

template <class P>
hipError_t addFrom(hipGraphNode_t *node, hipGraph_t graph,
                   const hipGraphNode_t *dependencies, size_t count,
                   const P *parameters) {
  WorkPtr work;
  if (hipError_t error = workFrom(parameters, work))
    return error;
  return add(node, graph, dependencies, count, typeOf(*work), work);
}

template <class P> hipError_t changeTo(hipGraphNode_t node, const P *parameters) {
  WorkPtr work;
  if (hipError_t error = workFrom(parameters, work))
    return error;
  return change(node, typeOf(*work), work);
}

} // namespace

hipError_t hipsim::workFrom(const hipKernelNodeParams *p, WorkPtr &work) {
  Runtime &runtime = Runtime::get();
  if (!p || !p->func)
    return hipErrorInvalidValue;
  auto function = static_cast<hipFunction_t>(p->func);
  uint32_t device;
  {
    std::lock_guard lock(runtime.handles);
    if (!runtime.functions.count(function))
      return hipErrorInvalidDeviceFunction;
    device = function->device;
  }
  return makeKernel(function, device, p->gridDim, p->blockDim, p->sharedMemBytes,
                    p->kernelParams, p->extra, work);
}

hipError_t hipsim::copyFrom(const hipMemcpy3DParms *p, CopyWork &copy) {
  if (!p || p->srcArray || p->dstArray)
    return hipErrorInvalidValue; // Images do not exist here.
  auto at = [](const hipPitchedPtr &q, const hipPos &pos) -> char * {
    return q.ptr ? static_cast<char *>(q.ptr) + pos.x + (pos.z * q.ysize + pos.y) * q.pitch
                 : nullptr;
  };
  copy.dst = at(p->dstPtr, p->dstPos);
  copy.src = at(p->srcPtr, p->srcPos);
  copy.width = p->extent.width;
  copy.height = p->extent.height;
  copy.depth = p->extent.depth;
  copy.dstPitch = p->dstPtr.pitch;
  copy.srcPitch = p->srcPtr.pitch;
  copy.dstRows = p->dstPtr.ysize;
  copy.srcRows = p->srcPtr.ysize;
  copy.kind = p->kind;
  if (copy.depth > 1 && (copy.dstRows < copy.height || copy.srcRows < copy.height))
    return hipErrorInvalidValue;
  return checkCopy(copy);
}

hipError_t hipsim::workFrom(const hipMemcpy3DParms *p, WorkPtr &work) {
  CopyWork copy;
  if (hipError_t error = copyFrom(p, copy))
    return error;
  work = makeWork(currentDevice, copy);
  return hipSuccess;
}

hipError_t hipsim::workFrom(const hipMemsetParams *p, WorkPtr &work) {
  if (!p || !p->dst)
    return hipErrorInvalidValue;
  FillWork fill = {p->dst, p->value, p->elementSize, p->width, p->height, p->pitch};
  if (hipError_t error = checkFill(fill))
    return error;
  work = makeWork(currentDevice, fill);
  return hipSuccess;
}

hipError_t hipsim::workFrom(const hipHostNodeParams *p, WorkPtr &work) {
  if (!p || !p->fn)
    return hipErrorInvalidValue;
  work = makeWork(currentDevice, HostWork{p->fn, p->userData});
  return hipSuccess;
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph,
                                const hipGraphNode_t *dependencies, size_t count) {
  return finish(add(node, graph, dependencies, count, hipGraphNodeTypeEmpty, nullptr));
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipKernelNodeParams *parameters) {
  return finish(addFrom(node, graph, dependencies, count, parameters));
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *out) {
  WorkPtr work = workOf(node, hipGraphNodeTypeKernel);
  if (!work || !out)
    return finish(hipErrorInvalidValue);
  const auto &k = std::get<KernelWork>(work->what);
  *out = {};
  out->func = k.function;
  out->gridDim = {k.grid[0], k.grid[1], k.grid[2]};
  out->blockDim = {k.block[0], k.block[1], k.block[2]};
  out->sharedMemBytes = k.dynamicLds;
  // Lent: valid while the node keeps these parameters.
  out->kernelParams = const_cast<void **>(k.parameters.data());
  return finish(hipSuccess);
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                       const hipKernelNodeParams *parameters) {
  return finish(changeTo(node, parameters));
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemcpy3DParms *parameters) {
  return finish(addFrom(node, graph, dependencies, count, parameters));
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph,
                                   const hipGraphNode_t *dependencies, size_t count,
                                   void *dst, const void *src, size_t bytes,
                                   hipMemcpyKind kind) {
  CopyWork copy = {dst, src, bytes};
  copy.kind = kind;
  if (hipError_t error = checkCopy(copy))
    return finish(error);
  return finish(add(node, graph, dependencies, count, hipGraphNodeTypeMemcpy,
                    makeWork(currentDevice, copy)));
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *out) {
  WorkPtr work = workOf(node, hipGraphNodeTypeMemcpy);
  if (!work || !out)
    return finish(hipErrorInvalidValue);
  const auto &c = std::get<CopyWork>(work->what);
  *out = {};
  out->dstPtr = {c.dst, c.dstPitch, c.width, c.dstRows};
  out->srcPtr = {const_cast<void *>(c.src), c.srcPitch, c.width, c.srcRows};
  out->extent = {c.width, c.height, c.depth};
  out->kind = c.kind;
  return finish(hipSuccess);
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                       const hipMemcpy3DParms *parameters) {
  return finish(changeTo(node, parameters));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src,
                                         size_t bytes, hipMemcpyKind kind) {
  CopyWork copy = {dst, src, bytes};
  copy.kind = kind;
  if (hipError_t error = checkCopy(copy))
    return finish(error);
  return finish(change(node, hipGraphNodeTypeMemcpy, makeWork(currentDevice, copy)));
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemsetParams *parameters) {
  return finish(addFrom(node, graph, dependencies, count, parameters));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *out) {
  WorkPtr work = workOf(node, hipGraphNodeTypeMemset);
  if (!work || !out)
    return finish(hipErrorInvalidValue);
  const auto &f = std::get<FillWork>(work->what);
  *out = {f.dst, f.elementBytes, f.height, f.pitch, f.value, f.width};
  return finish(hipSuccess);
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node,
                                       const hipMemsetParams *parameters) {
  return finish(changeTo(node, parameters));
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph,
                               const hipGraphNode_t *dependencies, size_t count,
                               const hipHostNodeParams *parameters) {
  return finish(addFrom(node, graph, dependencies, count, parameters));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *out) {
  WorkPtr work = workOf(node, hipGraphNodeTypeHost);
  if (!work || !out)
    return finish(hipErrorInvalidValue);
  const auto &h = std::get<HostWork>(work->what);
  *out = {h.function, h.argument};
  return finish(hipSuccess);
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node,
                                     const hipHostNodeParams *parameters) {
  return finish(changeTo(node, parameters));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph,
                                     const hipGraphNode_t *dependencies, size_t count,
                                     hipGraph_t child) {
  if (!child)
    return finish(hipErrorInvalidValue);
  return finish(add(node, graph, dependencies, count, hipGraphNodeTypeGraph, nullptr, child));
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *child) {
  std::lock_guard lock(captures().mutex);
  if (!child || !graphHandles().nodes.count(node) || !node->child)
    return finish(hipErrorInvalidValue);
  *child = node->child.get();
  return finish(hipSuccess);
}

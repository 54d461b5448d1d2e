// Stream capture and graphs: the second half of hip_api.h, which includes it.
#pragma once

#include "runtime/hipsim/hip/hip_api.h"

extern "C" {

typedef enum hipStreamCaptureMode : int {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2,
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus : int {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2,
} hipStreamCaptureStatus;

typedef enum hipStreamUpdateCaptureDependenciesFlags : int {
  hipStreamAddCaptureDependencies = 0,
  hipStreamSetCaptureDependencies = 1,
} hipStreamUpdateCaptureDependenciesFlags;

typedef enum hipGraphNodeType : int {
  hipGraphNodeTypeKernel = 0,
  hipGraphNodeTypeMemcpy = 1,
  hipGraphNodeTypeMemset = 2,
  hipGraphNodeTypeHost = 3,
  hipGraphNodeTypeGraph = 4,
  hipGraphNodeTypeEmpty = 5,
} hipGraphNodeType;

typedef enum hipGraphExecUpdateResult : int {
  hipGraphExecUpdateSuccess = 0,
  hipGraphExecUpdateError = 1,
  hipGraphExecUpdateErrorTopologyChanged = 2,
  hipGraphExecUpdateErrorNodeTypeChanged = 3,
  hipGraphExecUpdateErrorFunctionChanged = 4,
  hipGraphExecUpdateErrorParametersChanged = 5,
  hipGraphExecUpdateErrorNotSupported = 6,
  hipGraphExecUpdateErrorUnsupportedFunctionChange = 7,
} hipGraphExecUpdateResult;

typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;

typedef struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func; ///< A hipFunction_t: there are no host stubs here.
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
} hipKernelNodeParams;

typedef struct hipMemsetParams {
  void *dst;
  unsigned elementSize; ///< 1, 2 or 4.
  size_t height, pitch;
  unsigned value;
  size_t width; ///< Elements.
} hipMemsetParams;

typedef struct hipHostNodeParams {
  hipHostFn_t fn;
  void *userData;
} hipHostNodeParams;

// Capture.
HIPSIM_EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
HIPSIM_EXPORT hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies, const void *edgeData, size_t count, hipStreamCaptureMode mode);
HIPSIM_EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
HIPSIM_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
HIPSIM_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
HIPSIM_EXPORT hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **dependencies, size_t *count);
HIPSIM_EXPORT hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies, size_t count, unsigned flags);
HIPSIM_EXPORT hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);

// Graphs and their nodes.
HIPSIM_EXPORT hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags);
HIPSIM_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph);
HIPSIM_EXPORT hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t original);
HIPSIM_EXPORT hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t clone);
HIPSIM_EXPORT hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count);
HIPSIM_EXPORT hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count);
HIPSIM_EXPORT hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
HIPSIM_EXPORT hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
HIPSIM_EXPORT hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count);
HIPSIM_EXPORT hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type);
HIPSIM_EXPORT hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *dependencies, size_t *count);
HIPSIM_EXPORT hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *dependents, size_t *count);
HIPSIM_EXPORT hipError_t hipGraphDestroyNode(hipGraphNode_t node);

HIPSIM_EXPORT hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count);
HIPSIM_EXPORT hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, const hipKernelNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, const hipMemcpy3DParms *parameters);
HIPSIM_EXPORT hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, void *dst, const void *src, size_t bytes, hipMemcpyKind kind);
HIPSIM_EXPORT hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *parameters);
HIPSIM_EXPORT hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *parameters);
HIPSIM_EXPORT hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src, size_t bytes, hipMemcpyKind kind);
HIPSIM_EXPORT hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, const hipMemsetParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, const hipHostNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, hipGraph_t child);
HIPSIM_EXPORT hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *child);

// Executable graphs.
HIPSIM_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode, char *log, size_t logBytes);
HIPSIM_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags);
HIPSIM_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
HIPSIM_EXPORT hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
HIPSIM_EXPORT hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
HIPSIM_EXPORT hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode, hipGraphExecUpdateResult *result);
HIPSIM_EXPORT hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *parameters);
HIPSIM_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *src, size_t bytes, hipMemcpyKind kind);
HIPSIM_EXPORT hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *parameters);
HIPSIM_EXPORT hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams *parameters);

} // extern "C"

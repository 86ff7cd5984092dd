// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API on stream capture and on graphs. Our runtime and kernels capture kernels, copies,
// fills and host functions, and so does this. Allocation in stream order and a graph's launch under
// capture are refused as not supported.
#include <algorithm>
#include <memory>

#include "capture.h"
#include "graph.h"
#include "settings.h"

using namespace cameo::emu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  CAMEO_EMU_API(cudaStreamBeginCapture);
  CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return call.result(cudaErrorInvalidValue);
  return call.result(begin_capture(*s, mode, nullptr, {}));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData,
                                          size_t numDependencies, enum cudaStreamCaptureMode mode) {
  CAMEO_EMU_API(cudaStreamBeginCaptureToGraph);
  CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  CUgraph_st *g = find_graph(graph);
  if (g == nullptr || (numDependencies != 0 && dependencies == nullptr) ||
      mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return call.result(cudaErrorInvalidValue);
  if (dependencyData != nullptr)
    return call.result(cudaErrorNotSupported);
  return call.result(begin_capture(*s, mode, g, {dependencies, dependencies + numDependencies}));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *dependencyData,
                                                size_t numDependencies, unsigned int flags) {
  CAMEO_EMU_API(cudaStreamUpdateCaptureDependencies);
  CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (s->capturing == nullptr)
    return call.result(cudaErrorIllegalState);
  if ((numDependencies != 0 && dependencies == nullptr) || flags > cudaStreamSetCaptureDependencies)
    return call.result(cudaErrorInvalidValue);
  if (dependencyData != nullptr)
    return call.result(cudaErrorNotSupported);
  const cudaError_t error = use_stream(*s);
  if (error == cudaSuccess)
    depend_on(*s, {dependencies, dependencies + numDependencies},
              flags == cudaStreamSetCaptureDependencies);
  return call.result(error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
  CAMEO_EMU_API(cudaStreamEndCapture);
  CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (pGraph == nullptr)
    return call.result(cudaErrorInvalidValue);
  return call.result(end_capture(*s, pGraph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus) {
  CAMEO_EMU_API(cudaStreamIsCapturing);
  const CUstream_st *s = find_stream(stream);
  if (s == nullptr || pCaptureStatus == nullptr)
    return call.result(cudaErrorInvalidValue);
  capture_info info;
  const cudaError_t error = capture_info_of(*s, info);
  *pCaptureStatus = info.status;
  return call.result(error);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out,
                                     const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out) {
  CAMEO_EMU_API(cudaStreamGetCaptureInfo);
  const CUstream_st *s = find_stream(stream);
  if (s == nullptr || captureStatus_out == nullptr ||
      (edgeData_out != nullptr && dependencies_out == nullptr))
    return call.result(cudaErrorInvalidValue);
  capture_info info;
  const cudaError_t error = capture_info_of(*s, info);
  *captureStatus_out = info.status;
  if (error != cudaSuccess || info.status != cudaStreamCaptureStatusActive)
    return call.result(error);
  if (id_out != nullptr)
    *id_out = info.id;
  if (graph_out != nullptr)
    *graph_out = info.graph;
  if (dependencies_out != nullptr)
    *dependencies_out = s->front.data();
  if (edgeData_out != nullptr) { // every edge is on completion
    static auto &edges = *new std::vector<cudaGraphEdgeData>;
    edges.assign(s->front.size(), cudaGraphEdgeData{});
    *edgeData_out = edges.data();
  }
  if (numDependencies_out != nullptr)
    *numDependencies_out = s->front.size();
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  CAMEO_EMU_API(cudaThreadExchangeStreamCaptureMode);
  if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
      *mode > cudaStreamCaptureModeRelaxed)
    return call.result(cudaErrorInvalidValue);
  *mode = exchange_capture_mode(*mode);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
  CAMEO_EMU_API(cudaGraphCreate);
  if (pGraph == nullptr || flags != 0)
    return call.result(cudaErrorInvalidValue);
  *pGraph = publish_graph(std::make_unique<CUgraph_st>());
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
  CAMEO_EMU_API(cudaGraphClone);
  const CUgraph_st *g = find_graph(originalGraph);
  if (pGraphClone == nullptr || g == nullptr)
    return call.result(cudaErrorInvalidValue);
  if (has_choice(*g))
    return call.result(cudaErrorNotSupported);
  *pGraphClone = clone_graph(*g);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
  CAMEO_EMU_API(cudaGraphGetNodes);
  const CUgraph_st *g = find_graph(graph);
  if (g == nullptr || numNodes == nullptr)
    return call.result(cudaErrorInvalidValue);
  if (nodes == nullptr) {
    *numNodes = g->nodes.size();
    return cudaSuccess;
  }
  std::fill_n(nodes, *numNodes, nullptr);
  *numNodes = std::min(*numNodes, g->nodes.size());
  for (size_t i = 0; i < *numNodes; ++i)
    nodes[i] = g->nodes[i].get();
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
  CAMEO_EMU_API(cudaGraphNodeGetType);
  if (!is_node(node) || pType == nullptr)
    return call.result(cudaErrorInvalidValue);
  *pType = node->work.type;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  CAMEO_EMU_API(cudaGraphInstantiate);
  const CUgraph_st *g = find_graph(graph);
  if (pGraphExec == nullptr || g == nullptr)
    return call.result(cudaErrorInvalidValue);
  if (flags != 0)
    return call.result(cudaErrorNotSupported);
  return call.result(make_exec(*g, current_device(), *pGraphExec));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  CAMEO_EMU_API(cudaGraphLaunch);
  CUgraphExec_st *exec = find_exec(graphExec);
  CUstream_st *s = find_stream(stream);
  if (exec == nullptr || s == nullptr)
    return call.result(cudaErrorInvalidValue);
  const cudaError_t error = use_stream(*s);
  if (error != cudaSuccess)
    return call.result(error);
  if (s->capturing != nullptr) {
    invalidate(*s->capturing);
    return call.result(cudaErrorNotSupported);
  }
  launch(*exec, *s);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  CAMEO_EMU_API(cudaGraphExecDestroy);
  CUgraphExec_st *exec = find_exec(graphExec);
  if (exec == nullptr)
    return call.result(cudaErrorInvalidValue);
  destroy_exec(exec);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  CAMEO_EMU_API(cudaGraphDestroy);
  CUgraph_st *g = find_graph(graph);
  if (g == nullptr || g->is_body)
    return call.result(cudaErrorInvalidValue);
  destroy_graph(g);
  return cudaSuccess;
}

} // extern "C"

// Graphs of work: nodes, edges, and the executable form that is replayed.
//
// Everything here is guarded by Captures::mutex (capture.h), except the plan of
// an executable graph, which never changes once a launch has taken it.
#pragma once

#include "runtime/hipsim/hip/work.h"

#include <unordered_map>

struct hipGraphNode {
  uint64_t id = 0; ///< Never reused; executable graphs know nodes by it.
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  ihipGraph *graph = nullptr;
  hipsim::WorkPtr work;             ///< Null for empty and child nodes.
  std::unique_ptr<ihipGraph> child; ///< A copy of its own.
  std::vector<hipGraphNode *> dependencies;
  uint64_t clonedFrom = 0;
  bool byUser = false; ///< Added to a graph while a stream captured into it.
};

struct ihipGraph {
  std::vector<std::unique_ptr<hipGraphNode>> nodes; ///< In order of creation.
  uint64_t id = 0, clonedFrom = 0;
  bool isChild = false;   ///< Owned by a node.
  bool capturing = false; ///< A stream captures into it.
  ~ihipGraph();           ///< Its handles die with it.
};

namespace hipsim {

/// What a launch executes, in this order.
using Plan = std::vector<WorkPtr>;

/// A node of an instantiated graph; child graphs are spliced in.
struct PlannedNode {
  uint64_t id;
  hipGraphNodeType type;
  std::vector<uint32_t> dependencies; ///< Indices; all are earlier or later.
  uint32_t position = 0;              ///< In the plan.
  const hipGraphNode *node = nullptr; ///< Only while it is being planned.
};

/// The live handles.
struct GraphHandles {
  std::set<hipGraph_t> graphs;
  std::set<hipGraphNode_t> nodes;
  std::set<hipGraphExec_t> execs;
  uint64_t nextId = 1;
};
GraphHandles &graphHandles();

hipGraph_t newGraph();
/// A new node of `graph` that depends on `dependencies` (checked already).
hipGraphNode_t addNode(hipGraph_t graph, const hipGraphNode_t *dependencies,
                       size_t count, hipGraphNodeType type, WorkPtr work);
/// A copy, with the clonedFrom of everything set.
std::unique_ptr<ihipGraph> cloneGraph(const ihipGraph &graph);
hipGraphNodeType typeOf(const Work &work);

/// The nodes in order of creation, child graphs spliced in.
std::vector<PlannedNode> flatten(const ihipGraph &graph);
/// An order that respects all dependencies: that of creation for seed 0, else
/// a random one, so that a missing dependency shows. False: there is a cycle.
bool makePlan(std::vector<PlannedNode> &nodes, uint64_t seed, Plan &plan);

/// Nodes from parameters; they leave a report when they refuse a kernel.
hipError_t workFrom(const hipKernelNodeParams *parameters, WorkPtr &work);
hipError_t workFrom(const hipMemcpy3DParms *parameters, WorkPtr &work);
hipError_t workFrom(const hipMemsetParams *parameters, WorkPtr &work);
hipError_t workFrom(const hipHostNodeParams *parameters, WorkPtr &work);
hipError_t copyFrom(const hipMemcpy3DParms *parameters, CopyWork &copy);

} // namespace hipsim

struct hipGraphExec {
  unsigned long long flags = 0;
  std::vector<hipsim::PlannedNode> nodes;
  std::unordered_map<uint64_t, uint32_t> indexOf; ///< Node id -> nodes index.
  std::shared_ptr<hipsim::Plan> plan;
  /// Replaces the work of a node for later launches; earlier ones keep theirs.
  void replace(uint32_t node, hipsim::WorkPtr work);
};

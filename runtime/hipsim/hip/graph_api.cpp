// Graphs: creation, structure, copies.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>

using namespace hipsim;

namespace {

bool isGraph(hipGraph_t graph) { return graphHandles().graphs.count(graph) != 0; }
bool isNode(hipGraphNode_t node) { return graphHandles().nodes.count(node) != 0; }

/// HIP's way to return a list: without an array only the count; entries beyond
/// the list become null.
hipError_t list(const std::vector<hipGraphNode_t> &from, hipGraphNode_t *to, size_t *count) {
  if (to)
    for (size_t i = 0; i < *count; ++i)
      to[i] = i < from.size() ? from[i] : nullptr;
  if (!to || *count > from.size())
    *count = from.size();
  return hipSuccess;
}

std::vector<hipGraphNode_t> dependentsOf(const hipGraphNode &node) {
  std::vector<hipGraphNode_t> found;
  for (const auto &other : node.graph->nodes)
    if (std::find(other->dependencies.begin(), other->dependencies.end(), &node) !=
        other->dependencies.end())
      found.push_back(other.get());
  return found;
}

hipError_t changeEdges(hipGraph_t graph, const hipGraphNode_t *from,
                       const hipGraphNode_t *to, size_t count, bool add) {
  if (!isGraph(graph) || (count && (!from || !to)))
    return hipErrorInvalidValue;
  auto has = [](hipGraphNode_t node, hipGraphNode_t dependency) {
    return std::find(node->dependencies.begin(), node->dependencies.end(),
                     dependency) != node->dependencies.end();
  };
  // All or nothing: nothing changes before every edge has been checked.
  for (size_t i = 0; i < count; ++i)
    if (!isNode(from[i]) || !isNode(to[i]) || from[i]->graph != graph ||
        to[i]->graph != graph || from[i] == to[i] || has(to[i], from[i]) == add)
      return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!add)
      std::erase(to[i]->dependencies, from[i]);
    else if (!has(to[i], from[i]))
      to[i]->dependencies.push_back(from[i]);
  return hipSuccess;
}

hipError_t destroyNode(hipGraphNode_t node) {
  if (!isNode(node))
    return hipErrorInvalidValue;
  if (node->graph->capturing || node->graph->isChild)
    return hipErrorIllegalState;
  for (hipGraphNode_t dependent : dependentsOf(*node))
    std::erase(dependent->dependencies, node);
  graphHandles().nodes.erase(node);
  std::erase_if(node->graph->nodes, [&](const auto &n) { return n.get() == node; });
  return hipSuccess;
}

} // namespace

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  if (!graph || flags)
    return finish(hipErrorInvalidValue);
  std::lock_guard lock(captures().mutex);
  *graph = newGraph();
  return finish(hipSuccess);
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  if (!graph)
    return finish(hipErrorInvalidValue);
  std::lock_guard lock(captures().mutex);
  if (!isGraph(graph) || graph->isChild || graph->capturing)
    return finish(hipErrorIllegalState);
  delete graph;
  return finish(hipSuccess);
}

hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t original) {
  std::lock_guard lock(captures().mutex);
  if (!clone || !isGraph(original))
    return finish(hipErrorInvalidValue);
  *clone = cloneGraph(*original).release();
  return finish(hipSuccess);
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original,
                                   hipGraph_t clone) {
  std::lock_guard lock(captures().mutex);
  if (!node || !isNode(original) || !isGraph(clone))
    return finish(hipErrorInvalidValue);
  for (const auto &candidate : clone->nodes)
    if (candidate->clonedFrom == original->id) {
      *node = candidate.get();
      return finish(hipSuccess);
    }
  return finish(hipErrorInvalidValue);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count) {
  std::lock_guard lock(captures().mutex);
  return finish(changeEdges(graph, from, to, count, true));
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t count) {
  std::lock_guard lock(captures().mutex);
  return finish(changeEdges(graph, from, to, count, false));
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  std::lock_guard lock(captures().mutex);
  if (!isGraph(graph) || !count)
    return finish(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> all;
  for (const auto &node : graph->nodes)
    all.push_back(node.get());
  return finish(list(all, nodes, count));
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  std::lock_guard lock(captures().mutex);
  if (!isGraph(graph) || !count)
    return finish(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> roots;
  for (const auto &node : graph->nodes)
    if (node->dependencies.empty())
      roots.push_back(node.get());
  return finish(list(roots, nodes, count));
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from,
                            hipGraphNode_t *to, size_t *count) {
  std::lock_guard lock(captures().mutex);
  if (!isGraph(graph) || !count || (from == nullptr) != (to == nullptr))
    return finish(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> sources, targets;
  for (const auto &node : graph->nodes)
    for (hipGraphNode_t dependency : node->dependencies) {
      sources.push_back(dependency);
      targets.push_back(node.get());
    }
  size_t room = *count;
  list(sources, from, count);
  return finish(list(targets, to, to ? &room : count));
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  std::lock_guard lock(captures().mutex);
  if (!isNode(node) || !type)
    return finish(hipErrorInvalidValue);
  *type = node->type;
  return finish(hipSuccess);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *dependencies,
                                       size_t *count) {
  std::lock_guard lock(captures().mutex);
  if (!isNode(node) || !count)
    return finish(hipErrorInvalidValue);
  return finish(list(node->dependencies, dependencies, count));
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *dependents,
                                         size_t *count) {
  std::lock_guard lock(captures().mutex);
  if (!isNode(node) || !count)
    return finish(hipErrorInvalidValue);
  return finish(list(dependentsOf(*node), dependents, count));
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  std::lock_guard lock(captures().mutex);
  return finish(destroyNode(node));
}

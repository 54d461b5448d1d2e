// Graph structure: nodes, copies, flattening and the order of execution.
#include "runtime/hipsim/hip/capture.h"

#include <algorithm>

using namespace hipsim;

namespace {

/// A small generator for the order of independent nodes.
uint64_t mix(uint64_t &state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/// Appends the nodes of `graph`; those without dependencies get `before`.
/// Returns the indices that something after the graph depends on.
std::vector<uint32_t> append(const ihipGraph &graph,
                             const std::vector<uint32_t> &before,
                             std::vector<PlannedNode> &out) {
  // First all nodes, then the edges: a dependency may have been created later.
  struct Place {
    uint32_t index;
    std::vector<uint32_t> ends;
  };
  std::unordered_map<const hipGraphNode *, Place> places;
  for (const auto &node : graph.nodes) {
    uint32_t index = uint32_t(out.size());
    out.push_back({node->id, node->type, {}, 0, node.get()});
    Place place = {index, {index}};
    if (node->child)
      if (auto ends = append(*node->child, {index}, out); !ends.empty())
        place.ends = ends;
    places[node.get()] = place;
  }
  std::set<uint32_t> ends;
  for (const auto &node : graph.nodes)
    ends.insert(places[node.get()].ends.begin(), places[node.get()].ends.end());
  for (const auto &node : graph.nodes) {
    auto &dependencies = out[places[node.get()].index].dependencies;
    if (node->dependencies.empty())
      dependencies = before;
    for (const hipGraphNode *d : node->dependencies)
      for (uint32_t end : places[d].ends) {
        dependencies.push_back(end);
        ends.erase(end);
      }
    std::sort(dependencies.begin(), dependencies.end()); // Comparable.
  }
  return {ends.begin(), ends.end()};
}

} // namespace

ihipGraph::~ihipGraph() {
  GraphHandles &handles = graphHandles();
  for (const auto &node : nodes)
    handles.nodes.erase(node.get());
  handles.graphs.erase(this);
}

GraphHandles &hipsim::graphHandles() {
  static GraphHandles *handles = new GraphHandles;
  return *handles;
}

hipGraph_t hipsim::newGraph() {
  auto *graph = new ihipGraph;
  graph->id = graphHandles().nextId++;
  graphHandles().graphs.insert(graph);
  return graph;
}

hipGraphNode_t hipsim::addNode(hipGraph_t graph, const hipGraphNode_t *dependencies,
                               size_t count, hipGraphNodeType type, WorkPtr work) {
  auto node = std::make_unique<hipGraphNode>();
  node->id = graphHandles().nextId++;
  node->type = type;
  node->graph = graph;
  node->work = std::move(work);
  node->byUser = graph->capturing;
  for (size_t i = 0; i < count; ++i)
    node->dependencies.push_back(dependencies[i]);
  graphHandles().nodes.insert(node.get());
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

std::unique_ptr<ihipGraph> hipsim::cloneGraph(const ihipGraph &graph) {
  std::unique_ptr<ihipGraph> copy(newGraph());
  copy->clonedFrom = graph.id;
  std::unordered_map<const hipGraphNode *, hipGraphNode *> copies;
  for (const auto &node : graph.nodes) {
    hipGraphNode_t made = addNode(copy.get(), nullptr, 0, node->type, node->work);
    made->clonedFrom = node->id;
    if (node->child) {
      made->child = cloneGraph(*node->child);
      made->child->isChild = true;
    }
    copies[node.get()] = made;
  }
  for (const auto &node : graph.nodes)
    for (const hipGraphNode *d : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[d]);
  return copy;
}

hipGraphNodeType hipsim::typeOf(const Work &work) {
  // In the order of Work's alternatives.
  static const hipGraphNodeType types[] = {
      hipGraphNodeTypeEmpty, hipGraphNodeTypeKernel, hipGraphNodeTypeMemcpy,
      hipGraphNodeTypeMemset, hipGraphNodeTypeHost};
  return types[work.what.index()];
}

std::vector<PlannedNode> hipsim::flatten(const ihipGraph &graph) {
  std::vector<PlannedNode> nodes;
  append(graph, {}, nodes);
  return nodes;
}

bool hipsim::makePlan(std::vector<PlannedNode> &nodes, uint64_t seed, Plan &plan) {
  std::vector<uint32_t> missing(nodes.size());
  std::vector<std::vector<uint32_t>> dependents(nodes.size());
  std::vector<uint32_t> ready;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    missing[i] = uint32_t(nodes[i].dependencies.size());
    for (uint32_t d : nodes[i].dependencies)
      dependents[d].push_back(i);
    if (missing[i] == 0)
      ready.push_back(i);
  }
  uint64_t state = seed * 0x9e3779b97f4a7c15ull | 1;
  plan.clear();
  while (!ready.empty()) {
    auto pick = seed ? ready.begin() + ptrdiff_t(mix(state) % ready.size())
                     : std::min_element(ready.begin(), ready.end());
    uint32_t node = *pick;
    ready.erase(pick);
    nodes[node].position = uint32_t(plan.size());
    plan.push_back(nodes[node].node->work);
    for (uint32_t d : dependents[node])
      if (--missing[d] == 0)
        ready.push_back(d);
  }
  return plan.size() == nodes.size();
}

void hipGraphExec::replace(uint32_t node, WorkPtr work) {
  if (plan.use_count() > 1) // A launch that has not finished holds it.
    plan = std::make_shared<Plan>(*plan);
  std::atomic_thread_fence(std::memory_order_acquire);
  (*plan)[nodes[node].position] = std::move(work);
}

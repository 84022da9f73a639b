// Selects and orders the nodes to import.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/ONNX/Graph.h"
#include <queue>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

std::vector<char> Graph::neededNodes() {
  std::vector<char> isNeeded(graph.node_size());
  std::vector<int> open;
  auto need = [&](StringRef name) {
    auto producer = producers.find(name);
    if (producer != producers.end() && !isNeeded[producer->second]) {
      isNeeded[producer->second] = true;
      open.push_back(producer->second);
    }
  };
  for (StringRef output : needed)
    need(output);
  while (!open.empty()) {
    const onnx::NodeProto &node = graph.node(open.back());
    open.pop_back();
    for (StringRef name : usedNames(node))
      need(name);
  }
  return isNeeded;
}

/// Returns the nodes of one cycle, each before a node that uses it, beginning with the first in the file. `missing` is not 0
/// for nodes that wait for another one.
static std::vector<int> findCycle(const onnx::GraphProto &graph, const llvm::StringMap<int> &producers, ArrayRef<int> missing) {
  std::vector<int> path, place(graph.node_size(), -1);
  int node = llvm::find_if(missing, [](int count) { return count != 0; }) - missing.begin();
  while (place[node] < 0) {
    place[node] = path.size();
    path.push_back(node);
    for (StringRef name : usedNames(graph.node(node)))
      if (auto producer = producers.find(name); producer != producers.end() && missing[producer->second]) {
        node = producer->second;
        break;
      }
  }
  path.erase(path.begin(), path.begin() + place[node]);
  std::reverse(path.begin(), path.end());
  std::rotate(path.begin(), llvm::min_element(path), path.end());
  return path;
}

/// Returns "'a' -> 'b' -> 'a'", cut after some names.
static std::string cycleText(const onnx::GraphProto &graph, ArrayRef<int> cycle) {
  constexpr size_t kMostNames = 8;
  std::string text;
  for (int node : cycle.take_front(kMostNames))
    text += "'" + nodeName(graph.node(node)) + "' -> ";
  return text + (cycle.size() > kMostNames ? "... (" + std::to_string(cycle.size()) + " nodes)"
                                           : "'" + nodeName(graph.node(cycle[0])) + "'");
}

FailureOr<std::vector<int>> Graph::orderNodes() {
  bool good = true;
  auto wrong = [&](int node, const Twine &text) {
    emitError(locationOf(graph.node(node), node)) << text;
    good = false;
  };
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty() && (entries.contains(output) || !producers.try_emplace(output, i).second))
        wrong(i, "output '" + output + "' is also an input, an initializer or the output of another node");
  std::vector<std::vector<int>> users(graph.node_size());
  std::vector<int> missing(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i)
    for (StringRef input : usedNames(graph.node(i))) {
      if (input.empty())
        continue;
      auto producer = producers.find(input);
      if (producer == producers.end() && find(input))
        continue;
      if (producer == producers.end()) {
        wrong(i, "input '" + input + "' is not an input, an initializer or the output of a node");
        continue;
      }
      users[producer->second].push_back(i);
      ++missing[i];
    }
  std::vector<int> order;
  std::priority_queue<int, std::vector<int>, std::greater<>> ready; // keeps the model's own order where it is valid
  for (int i = 0; i < graph.node_size(); ++i)
    if (!missing[i])
      ready.push(i);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int user : users[order.back()])
      if (--missing[user] == 0)
        ready.push(user);
  }
  if (good && order.size() != users.size()) {
    std::vector<int> cycle = findCycle(graph, producers, missing);
    wrong(cycle[0], "the graph has a cycle: " + cycleText(graph, cycle));
  }
  if (!good)
    return failure();
  std::vector<char> needed = neededNodes();
  llvm::erase_if(order, [&](int node) { return !needed[node]; });
  return order;
}

std::vector<std::string> Graph::inputsBehind(StringRef name) {
  constexpr size_t kMostVisited = 1000; // each refusal calls this
  std::vector<StringRef> open{name};
  llvm::StringSet<> seen;
  std::vector<std::string> found;
  while (!open.empty() && seen.size() < kMostVisited) {
    StringRef each = open.back();
    open.pop_back();
    if (each.empty() || !seen.insert(each).second)
      continue;
    Entry *entry = find(each);
    auto argument = entry ? dyn_cast_or_null<BlockArgument>(entry->value) : BlockArgument();
    if (auto producer = producers.find(each); producer != producers.end()) {
      if (entry && entry->known)
        continue;
      std::vector<StringRef> names = usedNames(graph.node(producer->second));
      open.insert(open.end(), names.rbegin(), names.rend());
    } else if (entry && entry->isState) {
      model.wantedStates.insert(each.str());
    } else if (argument && argument.getOwner() == &model.function.getBody().front()) {
      found.push_back(model.argumentNames[argument.getArgNumber()]);
    } else if (outer && !entries.contains(each)) {
      llvm::append_range(found, outer->inputsBehind(each));
    }
  }
  return found;
}

const onnx::NodeProto *Graph::sizeNodeBehind(StringRef name) {
  constexpr size_t kMostSteps = 1000; // each refusal calls this
  for (size_t step = 0; step < kMostSteps; ++step) {
    auto producer = producers.find(name);
    if (producer == producers.end())
      return outer && !entries.contains(name) ? outer->sizeNodeBehind(name) : nullptr;
    const onnx::NodeProto &node = graph.node(producer->second);
    bool hasSizes = false, isKnown = true;
    for (StringRef operand : usedNames(node)) {
      Entry *entry = operand.empty() ? nullptr : find(operand);
      const Known *known = entry ? knownOf(*entry) : nullptr;
      hasSizes |= known && !known->isAllNumbers();
      if (entry && !known && isKnown)
        name = operand;
      isKnown &= !entry || known;
    }
    if (isKnown)
      return hasSizes ? &node : nullptr;
  }
  return nullptr;
}

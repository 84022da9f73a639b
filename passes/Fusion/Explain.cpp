#include "passes/Fusion/Explain.h"
#include "lib/Support/Explain.h"
#include "lib/Support/SourcePlace.h"

using namespace mlir;
using namespace lathe;

static std::string nameOf(Operation *op) { return op->getName().stripDialect().str(); }

static void explainKernel(StringRef function, const Clusters &clusters, int index) {
  const std::vector<Operation *> &members = clusters.all()[index];
  std::vector<std::string> names;
  for (Operation *op : members)
    names.push_back(nameOf(op));
  size_t stored = clusters.outputs(index).size();
  StringRef kind = clusters.isOverRows(index)    ? "one kernel over rows"
                   : clusters.isOverItems(index) ? "one kernel over items"
                   : members.size() == 1         ? "a kernel"
                                                 : "one kernel";
  explain(clusters.mainOp(index)->getLoc(), "fusion", "@{}: {} of {}, {} {} stored", function.str(), kind.str(),
          fmt::join(names, ", "), stored, stored == 1 ? "value" : "values");
}

/// Explains why a kernel was not merged with those whose values it reads.
static void explainBorders(StringRef function, const Clusters &clusters, int index) {
  llvm::SmallDenseSet<int> told;
  for (Operation *op : clusters.all()[index])
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      int other = producer ? clusters.of(producer) : -1;
      StringRef obstacle = other >= 0 && other != index ? clusters.obstacle(op, other) : "";
      if (!obstacle.empty() && told.insert(other).second)
        explainNot(op->getLoc(), "fusion", "@{}: {} apart from {} in line {}: {}", function.str(), nameOf(op), nameOf(producer),
                   sourcePlace(producer->getLoc()).line, obstacle.str());
    }
}

void lathe::explainFusion(func::FuncOp function, const Clusters &clusters) {
  if (!isExplaining(function.getContext()))
    return;
  for (int index = 0, end = clusters.all().size(); index < end; ++index) {
    if (clusters.all()[index].empty() || isControl(clusters.all()[index].front()))
      continue;
    explainKernel(function.getSymName(), clusters, index);
    explainBorders(function.getSymName(), clusters, index);
  }
}

// Which derivatives the graphs test: a tangent must flow into each operand of each op that has a rule, and through each
// variant.
#ifndef LATHE_TEST_AUTODIFF_COVERAGE_H
#define LATHE_TEST_AUTODIFF_COVERAGE_H

#include "passes/Autodiff/Rules.h"
#include "test/unit/Autodiff/Derive.h"
#include "llvm/ADT/StringSet.h"
#include <set>

class Coverage {
public:
  explicit Coverage(mlir::MLIRContext &context) : context(context), rules(&context) {}

  /// Every function of a graph, for itself: from each float argument on to each float result.
  void add(mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::func::FuncOp>())
      add(function);
  }

  /// Returns what no graph tests, an item a line.
  std::vector<std::string> missing() const {
    std::vector<std::string> items;
    for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
      // Ops that call the application's functions are tested with some, in test/e2e/extern; lathe.call_tangent is in no graph
      // but in the derivatives of those in Rules.cpp. Collectives need ranks: test/passes/Autodiff/collectives.test.
      if (rules.find(op) && !op.getStringRef().starts_with("lathe.extern") && op.getStringRef() != "lathe.call_tangent" &&
          !op.hasInterface<lathe::CollectiveOpInterface>()) {
        std::string name = op.getStringRef().str();
        auto operands = floats.find(name);
        if (operands == floats.end())
          items.push_back(name + ", which has a derivative");
        else
          for (unsigned operand : operands->second)
            require(name + " operand " + std::to_string(operand), items);
      }
    requireKinds<lathe::ReduceKind>({"lathe.reduce", "lathe.reduce_window"}, items);
    requireKinds<lathe::ScatterKind>({"lathe.scatter"}, items);
    requireKinds<lathe::CumulativeKind>({"lathe.cumulative"}, items);
    for (const char *flag : {"lathe.cumulative reverse", "lathe.linear_recurrence reverse", "lathe.sort descending",
                             "lathe.triangular_solve right", "lathe.triangular_solve upper",
                             "lathe.triangular_solve transposed", "lathe.triangular_solve unit"})
      for (const char *value : {" on", " off"})
        require(std::string(flag) + value, items);
    return items;
  }

private:
  void add(mlir::func::FuncOp function) {
    llvm::DenseSet<mlir::Value> reached, useful;
    auto any = [](mlir::ValueRange values, const llvm::DenseSet<mlir::Value> &set) {
      return llvm::any_of(values,
                          [&](mlir::Value value) { return lathe::isFloatTensor(value.getType()) && set.contains(value); });
    };
    auto addFloats = [](mlir::ValueRange values, llvm::DenseSet<mlir::Value> &set) {
      for (mlir::Value value : values)
        if (lathe::isFloatTensor(value.getType()))
          set.insert(value);
    };
    mlir::Block &block = function.front();
    addFloats(block.getArguments(), reached);
    addFloats(block.getTerminator()->getOperands(), useful);
    for (mlir::Operation &op : block.without_terminator())
      if (any(op.getOperands(), reached))
        addFloats(op.getResults(), reached);
    for (mlir::Operation &op : llvm::reverse(block.without_terminator()))
      if (any(op.getResults(), useful))
        addFloats(op.getOperands(), useful);
    for (mlir::Operation &op : block.without_terminator())
      if (any(op.getResults(), useful) && any(op.getOperands(), reached))
        add(op, reached);
  }

  void add(mlir::Operation &op, const llvm::DenseSet<mlir::Value> &reached) {
    std::string name = op.getName().getStringRef().str();
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      if (lathe::isFloatTensor(operand.getType())) {
        floats[name].insert(i);
        if (reached.contains(operand))
          tested.insert(name + " operand " + std::to_string(i));
      }
    for (llvm::StringRef attribute : op.getName().getAttributeNames()) {
      mlir::Attribute value = op.getAttr(attribute);
      if (!value || mlir::isa<mlir::UnitAttr>(value))
        tested.insert(name + " " + attribute.str() + (value ? " on" : " off"));
      else if (auto kind = mlir::dyn_cast<lathe::ReduceKindAttr>(value))
        tested.insert(name + " " + stringifyEnum(kind.getValue()).str());
      else if (auto kind = mlir::dyn_cast<lathe::ScatterKindAttr>(value))
        tested.insert(name + " " + stringifyEnum(kind.getValue()).str());
      else if (auto kind = mlir::dyn_cast<lathe::CumulativeKindAttr>(value))
        tested.insert(name + " " + stringifyEnum(kind.getValue()).str());
    }
  }

  void require(const std::string &item, std::vector<std::string> &items) const {
    if (!tested.contains(item))
      items.push_back(item);
  }

  /// All kinds that floats have.
  template <typename Kind>
  void requireKinds(std::initializer_list<const char *> ops, std::vector<std::string> &items) const {
    for (unsigned i = 0; !stringifyEnum(Kind(i)).empty(); ++i) {
      if constexpr (std::is_same_v<Kind, lathe::ReduceKind>)
        if (lathe::ofBits(Kind(i)))
          continue;
      for (const char *op : ops)
        require(op + (" " + stringifyEnum(Kind(i)).str()), items);
    }
  }

  mlir::MLIRContext &context;
  lathe::autodiff::Rules rules;
  llvm::StringSet<> tested;
  std::map<std::string, std::set<unsigned>> floats; // operands that are floats somewhere
};

#endif

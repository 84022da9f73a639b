// The table of derivative rules: for each op where it is linear, its tangent, its transpose.
#ifndef LATHE_AUTODIFF_RULES_H
#define LATHE_AUTODIFF_RULES_H

#include "passes/Autodiff/Emit.h"
#include <functional>

namespace lathe::autodiff {

using Values = llvm::ArrayRef<mlir::Value>;

/// The derivative rule of an op. An op with several results has `tangents` and `transposes` instead of the other two.
struct Rule {
  using Group = llvm::SmallVector<unsigned, 2>;

  /// The op is linear in the operands of each group together, the others held fixed; mul has two groups, add one.
  llvm::SmallVector<Group, 2> linear;
  bool jointly = false; // one group of all operands, however many
  /// Whether this op, of several kinds, is linear in these operands together, of one group; without it all are. Tangents and
  /// transposes make only such ones.
  std::function<bool(mlir::Operation *op, llvm::ArrayRef<unsigned> operands)> linearWhere;
  bool constant = false; // the tangent is zero: steps, and stop_gradient

  /// The result's tangent. `op` is the op on primal values; tangents[i] is null where it is zero, and one of them is not.
  /// Without a formula the op is applied to each group's tangents and the results are added.
  std::function<mlir::Value(Emit &, mlir::Operation *op, Values tangents)> tangent;

  /// Cotangents of the linear operands from that of the result. arguments[i] is the operand's value, null where the op is
  /// linear in it; these get cotangents[i]. `op` gives types and attributes.
  std::function<void(Emit &, mlir::Operation *op, Values arguments, mlir::Value cotangent,
                     llvm::MutableArrayRef<mlir::Value> cotangents)>
      transpose;

  /// The tangents of all results, null for those that are not floats.
  std::function<llvm::SmallVector<mlir::Value>(Emit &, mlir::Operation *op, Values tangents)> tangents;
  /// From the cotangents of all results, null where none arrived.
  std::function<void(Emit &, mlir::Operation *op, Values arguments, Values cotangents, llvm::MutableArrayRef<mlir::Value> out)>
      transposes;

  bool isLinearIn(mlir::Operation *op, llvm::ArrayRef<unsigned> operands) const;
};

/// Rules by op name. An op that is not in the table cannot be on a path of a derivative.
class Rules {
public:
  /// `module` is where functions that ops name are; null if only the table is read.
  explicit Rules(mlir::MLIRContext *context, mlir::ModuleOp module = {});

  Rules(const Rules &) = delete; // rules refer to the table

  const Rule *find(mlir::Operation *op) const { return find(op->getName()); }
  const Rule *find(mlir::OperationName name) const {
    auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
  }

  /// The function of a name; null if there is none.
  mlir::func::FuncOp function(mlir::FlatSymbolRefAttr name) const;

  /// Fills in the rule of one op.
  template <typename Op>
  class Writer {
  public:
    explicit Writer(Rule &rule) : rule(rule) {}
    Writer &linear(std::initializer_list<Rule::Group> groups) {
      rule.linear.assign(groups);
      return *this;
    }
    Writer &linearJointly() {
      rule.jointly = true;
      return *this;
    }
    Writer &constant() {
      rule.constant = true;
      return *this;
    }
    template <typename Function> // (Op, ArrayRef<unsigned> operands) -> bool
    Writer &linearWhere(Function function) {
      rule.linearWhere = [function](mlir::Operation *op, llvm::ArrayRef<unsigned> operands) {
        return function(mlir::cast<Op>(op), operands);
      };
      return *this;
    }
    template <typename Function> // (Emit &, Op, Values tangents) -> Value
    Writer &tangent(Function function) {
      rule.tangent = [function](Emit &e, mlir::Operation *op, Values t) { return function(e, mlir::cast<Op>(op), t); };
      return *this;
    }
    template <typename Function> // (Emit &, Op, Values arguments, Value cotangent, MutableArrayRef<Value> cotangents)
    Writer &transpose(Function function) {
      rule.transpose = [function](Emit &e, mlir::Operation *op, Values a, mlir::Value c,
                                  llvm::MutableArrayRef<mlir::Value> out) { function(e, mlir::cast<Op>(op), a, c, out); };
      return *this;
    }
    template <typename Function> // (Emit &, Op, Values tangents) -> SmallVector<Value>
    Writer &tangents(Function function) {
      rule.tangents = [function](Emit &e, mlir::Operation *op, Values t) { return function(e, mlir::cast<Op>(op), t); };
      return *this;
    }
    template <typename Function> // (Emit &, Op, Values arguments, Values cotangents, MutableArrayRef<Value> out)
    Writer &transposes(Function function) {
      rule.transposes = [function](Emit &e, mlir::Operation *op, Values a, Values c, llvm::MutableArrayRef<mlir::Value> out) {
        function(e, mlir::cast<Op>(op), a, c, out);
      };
      return *this;
    }
    /// For an op that is linear in operand 0 only: (Emit &, Op, Values arguments, Value cotangent) -> Value
    template <typename Function>
    Writer &linearInFirst(Function function) {
      rule.linear.assign({Rule::Group{0}});
      return transpose([function](Emit &e, Op op, Values a, mlir::Value c, llvm::MutableArrayRef<mlir::Value> out) {
        out[0] = function(e, op, a, c);
      });
    }

  private:
    Rule &rule;
  };

  template <typename Op>
  Writer<Op> add() {
    return Writer<Op>(table[mlir::OperationName(Op::getOperationName(), context)]);
  }

private:
  mlir::MLIRContext *context;
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::OperationName, Rule> table;
};

// By family, under Rules/.
void addElementwiseRules(Rules &rules);
void addShapeRules(Rules &rules);
void addReductionRules(Rules &rules);
void addConvolutionRules(Rules &rules);
void addIndexingRules(Rules &rules);
void addWindowRules(Rules &rules);
void addScanRules(Rules &rules);
void addSortRules(Rules &rules);
void addLinearAlgebraRules(Rules &rules);
void addExternRules(Rules &rules);

void addCallRules(Rules &rules);

/// A lathe.extern_tangent as the call that gives the same, in place. Fails, with a diagnostic, where none is declared.
mlir::LogicalResult callTangent(ExternTangentOp op);
/// A lathe.call_tangent as the transposed ops of its backward function, in place. Fails, with a diagnostic, where that function
/// is not linear in its cotangents.
mlir::LogicalResult transposeBackward(const Rules &rules, CallTangentOp op);

} // namespace lathe::autodiff

#endif

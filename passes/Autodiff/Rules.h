// The table of derivative rules: linearity, tangent and transpose of each op.
#ifndef LATHE_AUTODIFF_RULES_H
#define LATHE_AUTODIFF_RULES_H

#include "passes/Autodiff/Emit.h"
#include <functional>

namespace lathe::autodiff {

using Values = llvm::ArrayRef<mlir::Value>;

/// The derivative rule of an op. An op with several results has `tangents` and `transposes` instead of the other two.
struct Rule {
  using Group = llvm::SmallVector<unsigned, 2>;

  /// Groups of operands: the op is linear in each group if all other operands are fixed. mul has two groups, add has one.
  llvm::SmallVector<Group, 2> linear;
  bool jointly = false; // one group of all operands, whatever their number
  /// True if this op is linear in these operands of one group together, for ops of several kinds; without it all are linear.
  /// Tangents and transposes create only linear ones.
  std::function<bool(mlir::Operation *op, llvm::ArrayRef<unsigned> operands)> linearWhere;
  bool constant = false; // the tangent is zero: step functions, and stop_gradient

  /// Returns the result's tangent. `op` is the op on primal values. tangents[i] is null for a zero tangent; at least one is not
  /// null. Without this function the op is applied to each group's tangents and the results are added.
  std::function<mlir::Value(Emit &, mlir::Operation *op, Values tangents)> tangent;

  /// Computes the cotangents of the linear operands from that of the result. arguments[i] is the operand's value, or null if it
  /// is a linear operand, which gets cotangents[i]. `op` has the types and attributes.
  std::function<void(Emit &, mlir::Operation *op, Values arguments, mlir::Value cotangent,
                     llvm::MutableArrayRef<mlir::Value> cotangents)>
      transpose;

  /// Returns the tangents of all results, null for those that are not floats.
  std::function<llvm::SmallVector<mlir::Value>(Emit &, mlir::Operation *op, Values tangents)> tangents;
  /// The same as `transpose` with the cotangents of all results, null where none arrived.
  std::function<void(Emit &, mlir::Operation *op, Values arguments, Values cotangents, llvm::MutableArrayRef<mlir::Value> out)>
      transposes;

  bool isLinearIn(mlir::Operation *op, llvm::ArrayRef<unsigned> operands) const;
};

/// Rules by op name. A derivative cannot pass through an op that is not in the table.
class Rules {
public:
  /// `module` contains the functions that ops name; it is null if only the table is read.
  explicit Rules(mlir::MLIRContext *context, mlir::ModuleOp module = {});

  Rules(const Rules &) = delete; // rules refer to the table

  const Rule *find(mlir::Operation *op) const { return find(op->getName()); }
  const Rule *find(mlir::OperationName name) const {
    auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
  }

  /// Returns the function of a name; null if there is none.
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
void addCollectiveRules(Rules &rules);
void addExternRules(Rules &rules);

void addCallRules(Rules &rules);

/// Replaces a lathe.extern_tangent by an equivalent call. Fails, with a diagnostic, if none is declared.
mlir::LogicalResult callTangent(ExternTangentOp op);
/// Replaces a lathe.call_tangent by the transposed ops of its backward function. Fails, with a diagnostic, if that function is
/// not linear in its cotangents.
mlir::LogicalResult transposeBackward(const Rules &rules, CallTangentOp op);

} // namespace lathe::autodiff

#endif

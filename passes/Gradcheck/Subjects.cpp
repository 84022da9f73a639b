// Finds the subjects: the function, or the losses that it minimises.
#include "dialects/Lathe/IR/EraseUnused.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "passes/Gradcheck/Subject.h"
#include "llvm/ADT/STLExtras.h"

namespace lathe {
#define GEN_PASS_DEF_GRADCHECKSUBJECTSPASS
#include "passes/Gradcheck/Gradcheck.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::gradcheck;

func::FuncOp lathe::findGradcheckSubject(ModuleOp module, StringRef name) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() && (name.empty() || function.getSymName() == name))
      return function;
  return {};
}

/// Returns the loss's operands for the first micro-batch, or for the whole batch.
static SmallVector<Value> firstMicroBatch(OpBuilder &builder, MinimizeOp step) {
  SmallVector<Value> inputs(step.getInputs());
  ArrayRef<int64_t> split = step.getMicroBatches().value_or(ArrayRef<int64_t>());
  if (split.empty())
    return inputs;
  auto index = RankedTensorType::get({}, builder.getI32Type());
  Value first = emitSplat(builder, step.getLoc(), index, builder.getI32IntegerAttr(0));
  for (int64_t i : split)
    inputs[i] = GatherOp::create(builder, step.getLoc(), inputs[i], first, /*axis=*/0, /*batch=*/0);
  return inputs;
}

/// Returns the `index`-th loss that the function minimises, as a function of its arguments. Other minimize ops
/// do not update, so that the loss sees the variables' current values.
static func::FuncOp makeLoss(func::FuncOp function, size_t index) {
  func::FuncOp subject = function.clone();
  subject.setSymName((function.getSymName() + ".loss." + Twine(index)).str());
  function->getParentOfType<ModuleOp>().getBody()->getOperations().insert(std::next(function->getIterator()), subject);
  auto end = cast<func::ReturnOp>(subject.front().getTerminator());
  SmallVector<MinimizeOp> steps(subject.getOps<MinimizeOp>());
  for (auto [i, step] : llvm::enumerate(steps)) {
    OpBuilder builder(step);
    auto loss = func::CallOp::create(builder, step.getLoc(), step.getLossAttr(), step.getResult().getType(),
                                     firstMicroBatch(builder, step));
    if (i == index) {
      ArrayAttr wrt = step.getWrt().value_or(builder.getArrayAttr({}));
      subject->setAttr(kSubjectAttr, wrt);
      end->setOperands(loss.getResults());
    }
    step.getResult().replaceAllUsesWith(loss.getResult(0));
    step.erase();
  }
  for (func::CallOp call : llvm::to_vector(subject.getOps<func::CallOp>()))
    if (call.use_empty()) // of another minimize
      call.erase();
  subject.setFunctionType(FunctionType::get(subject.getContext(), subject.getArgumentTypes(), end.getOperandTypes()));
  subject.setAllResultAttrs(ArrayRef<DictionaryAttr>{DictionaryAttr::get(subject.getContext())});
  // Unused reads would become arguments.
  eraseUnused(subject.front(), [](Operation *op) { return isa<ReadOp>(op) || isPure(op); });
  return subject;
}

namespace {
struct GradcheckSubjects : lathe::impl::GradcheckSubjectsPassBase<GradcheckSubjects> {
  using GradcheckSubjectsPassBase::GradcheckSubjectsPassBase;

  void runOnOperation() final {
    func::FuncOp named = findGradcheckSubject(getOperation(), function);
    if (!named) {
      getOperation().emitError("there is no public function '") << function << "' to check the derivatives of";
      return signalPassFailure();
    }
    size_t losses = llvm::range_size(named.getOps<MinimizeOp>());
    for (size_t i = 0; i < losses; ++i)
      makeLoss(named, losses - 1 - i); // each is inserted directly after the function
    subjects += losses ? losses : 1;
    if (losses == 0)
      named->setAttr(kSubjectAttr, UnitAttr::get(&getContext()));
    for (auto other : getOperation().getOps<func::FuncOp>())
      if (!other->hasAttr(kSubjectAttr) && other.getSymName() != "init")
        other.setPrivate();
  }
};
} // namespace

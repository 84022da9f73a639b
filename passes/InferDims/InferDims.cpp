// Writes the names of dynamic dimensions into all types.
// || Public functions start from the names of their arguments. Private ones are templates: each list of argument types in calls
// makes one instance, the first of them in place.
#include "passes/InferDims/InferDims.h"
#include "dialects/Lathe/IR/Bytes.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/DerivativeRules.h"
#include "dialects/Lathe/IR/Steps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/InferDims/CallSizes.h"
#include "passes/InferDims/Multiples.h"

namespace lathe {
#define GEN_PASS_DEF_INFERDIMSPASS
#include "passes/InferDims/InferDims.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
using Values = std::map<std::string, Dim>;

/// The instances that the calls of a private function have made.
struct Template {
  OwningOpRef<func::FuncOp> original;
  SmallVector<func::FuncOp> instances;
  bool active = false; // the body of an instance is being inferred
};

struct InferDims : lathe::impl::InferDimsPassBase<InferDims> {
  using InferDimsPassBase::InferDimsPassBase;
  InferDims(const InferDims &other) : InferDimsPassBase(other) {} // templates belong to one run

  void runOnOperation() final;

private:
  bool (*mayBeEqual)(const Dim &, const Dim &) = nullptr; // for sizes that differ as written, at the time of the call
  SymbolTable *symbols = nullptr;
  std::map<std::string, Template> templates;        // by the original's name
  llvm::SmallPtrSet<Operation *, 8> done, complete; // inference has begun; it has ended
  llvm::SmallPtrSet<Operation *, 8> ruled;          // inference of its rule's functions has begun

  LogicalResult nameArguments(func::FuncOp function);
  LogicalResult inferFunction(func::FuncOp function);
  LogicalResult inferRule(func::FuncOp function);
  LogicalResult inferBlock(Block &block);
  LogicalResult inferOp(Operation &op);
  LogicalResult inferCast(UnrealizedConversionCastOp op);
  LogicalResult inferKernel(KernelOp kernel);
  LogicalResult inferRegions(Operation *control);
  LogicalResult inferBranches(Operation *op);
  LogicalResult inferMinimize(MinimizeOp op);
  LogicalResult inferScan(ScanOp scan);
  LogicalResult inferWhile(WhileOp loop);
  template <typename Op>
  LogicalResult inferDerivative(Op op);
  FailureOr<func::FuncOp> calleeFor(Operation *op, StringRef name, TypeRange operands);
  LogicalResult inferVmap(VmapOp op);
  FailureOr<func::FuncOp> instanceFor(Operation *op, func::FuncOp callee, TypeRange types);
  LogicalResult bindArguments(Operation *op, func::FuncOp instance, TypeRange types);
};
} // namespace

static std::string nameOf(func::FuncOp function, unsigned argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument, kNameAttr);
  return name ? "'" + name.getValue().str() + "'" : std::to_string(argument);
}

/// Replaces names in every dimension below the function: shapes, encodings, argument attributes.
static void substitute(func::FuncOp function, const Values &values) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](DimAttr dim) -> Attribute { return Dim::fromAttr(dim).substitute(values).toAttr(dim.getContext()); });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/false);
}

/// Removes `lathe.dims` from all arguments at once: the context would keep a list of attributes for each step.
static void dropDims(func::FuncOp function) {
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  for (DictionaryAttr &each : attributes) {
    NamedAttrList rest(each);
    rest.erase(kDimsAttr);
    each = rest.getDictionary(function.getContext());
  }
  function.setAllArgAttrs(attributes);
}

void InferDims::runOnOperation() {
  mayBeEqual = anyEqual ? canBeEqual : canBeEqualInText;
  SymbolTable table(getOperation());
  symbols = &table;
  templates.clear();
  done.clear();
  complete.clear();
  ruled.clear();
  SmallVector<func::FuncOp> entries;
  bool ok = true;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal()) {
      entries.push_back(function);
      ok &= succeeded(nameArguments(function));
    }
  for (func::FuncOp entry : entries) // errors of all functions are reported together
    ok &= succeeded(inferFunction(entry)) && succeeded(inferRule(entry));
  if (!ok)
    signalPassFailure();
}

/// Moves the names of an entry's dimensions into its types.
LogicalResult InferDims::nameArguments(func::FuncOp function) {
  bool ok = true;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return emitError(argument.getLoc()) << "argument " << nameOf(function, index) << " of type " << argument.getType()
                                          << "; expected a ranked tensor";
    auto names = function.getArgAttrOfType<DimsAttr>(index, kDimsAttr);
    if (names && type.getEncoding() && type.getEncoding() != names) {
      ok = false;
      emitError(argument.getLoc()) << "argument " << nameOf(function, index) << " has the dimensions " << type.getEncoding()
                                   << " in its type and lathe.dims = " << names;
      continue;
    }
    Dims dims = declaredDims(function, index);
    auto unknown = llvm::find_if(dims, [](const Dim &dim) { return dim.isUnknown(); });
    if (unknown != dims.end()) {
      ok = false;
      emitError(argument.getLoc())
          << "dimension " << unknown - dims.begin() << " of argument " << nameOf(function, index)
          << " has no name; write {lathe.dims = #lathe.dims<N>} after its type, with a name for each '?'";
      continue;
    }
    argument.setType(tensorOf(dims, type.getElementType()));
    ok &= succeeded(checkBytes(argument.getLoc(), argument.getType(), "an argument"));
  }
  dropDims(function);
  return success(ok);
}

LogicalResult InferDims::inferFunction(func::FuncOp function) {
  if (!done.insert(function).second)
    return success();
  Block &block = function.getBody().front();
  LogicalResult result = inferBlock(block);
  SmallVector<Type> types(block.getTerminator()->getOperandTypes());
  for (auto [i, declared] : llvm::enumerate(function.getResultTypes())) {
    auto type = dyn_cast<RankedTensorType>(declared);
    if (succeeded(result) && type && type.getEncoding() && type != types[i])
      result = block.getTerminator()->emitError("result ") << i << " of @" << function.getSymName() << " is declared as "
                                                           << type << ", but the returned value is " << types[i];
  }
  function.setType(FunctionType::get(&getContext(), block.getArgumentTypes(), types));
  complete.insert(function);
  return result;
}

/// Gives the functions of a function's rule the types that derivatives of the function will have. They may call it.
LogicalResult InferDims::inferRule(func::FuncOp function) {
  DerivativeRule rule = ruleOf(function);
  if (!rule || !ruled.insert(function).second)
    return success();
  auto join = [](TypeRange first, ArrayRef<Type> second) {
    SmallVector<Type> all(first);
    llvm::append_range(all, second);
    return all;
  };
  auto infer = [&](FlatSymbolRefAttr &name, ArrayRef<Type> arguments, ArrayRef<Type> expected) -> FailureOr<func::FuncOp> {
    FailureOr<func::FuncOp> callee = calleeFor(function, name.getValue(), arguments);
    if (failed(callee))
      return failure();
    name = FlatSymbolRefAttr::get(*callee);
    for (auto [i, type, given] : llvm::enumerate(expected, callee->getResultTypes().take_front(expected.size())))
      if (type != given) {
        InFlightDiagnostic diagnostic = function.emitError("result ")
                                        << i << " of " << name << " is " << given << ", expected " << type << ", as @"
                                        << function.getSymName() << " names it in its rule";
        diagnostic.attachNote(callee->getLoc()) << name << " is declared here";
        return diagnostic;
      }
    return callee;
  };
  SmallVector<Type> arguments(function.getArgumentTypes()), results(function.getResultTypes());
  if (rule.tangent) {
    if (failed(infer(rule.tangent, join(arguments, floatsOf(arguments)), join(results, floatsOf(results)))))
      return failure();
  } else {
    FailureOr<func::FuncOp> forward = infer(rule.forward, arguments, results);
    if (failed(forward))
      return failure();
    TypeRange residuals = TypeRange(forward->getResultTypes()).drop_front(results.size());
    if (failed(infer(rule.backward, join(residuals, floatsOf(results)), floatsOf(arguments))))
      return failure();
  }
  setRule(function, rule);
  return success();
}

/// Infers the ops of a block. Continues after a wrong op: its results keep unnamed dimensions, which fit everything.
LogicalResult InferDims::inferBlock(Block &block) {
  bool ok = true;
  for (Operation &op : llvm::make_early_inc_range(block))
    ok &= succeeded(inferOp(op));
  return success(ok);
}

static void setTypes(Operation *op, ArrayRef<Type> types) {
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
}

LogicalResult InferDims::inferOp(Operation &op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    checkIfMultiple(reshape, replaced);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (auto function = symbols->lookup<func::FuncOp>(call.getCallee()); function) {
      auto known = templates.find(function.getSymName().str());
      takeSizesOf(known != templates.end() && known->second.original ? known->second.original.get() : function, call,
                  mayBeEqual);
    }
    FailureOr<func::FuncOp> callee = calleeFor(call, call.getCallee(), call.getOperandTypes());
    if (failed(callee))
      return failure();
    call.setCallee(callee->getSymName());
    setTypes(call, callee->getResultTypes());
    return success();
  }
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
    return inferCast(cast);
  if (auto minimize = dyn_cast<MinimizeOp>(op))
    return inferMinimize(minimize);
  if (auto gradient = dyn_cast<ValueAndGradOp>(op))
    return inferDerivative(gradient);
  if (auto jvp = dyn_cast<JvpOp>(op))
    return inferDerivative(jvp);
  if (auto vjp = dyn_cast<VjpOp>(op))
    return inferDerivative(vjp);
  if (auto vmap = dyn_cast<VmapOp>(op))
    return inferVmap(vmap);
  if (auto kernel = dyn_cast<KernelOp>(op))
    return inferKernel(kernel);
  if (auto scan = dyn_cast<ScanOp>(op))
    return inferScan(scan);
  if (auto loop = dyn_cast<WhileOp>(op))
    return inferWhile(loop);
  if (isControl(&op))
    return inferBranches(&op);
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return success();
  SmallVector<Type> types;
  OpBuilder builder(&op);
  SmallVector<Value> operands(op.getOperands());
  auto infer = [&](ValueRange values) {
    types.clear();
    return inference.inferReturnTypes(&getContext(), op.getLoc(), values, op.getAttrDictionary(), op.getPropertiesStorage(),
                                      op.getRegions(), types);
  };
  if (failed(inferWithChecks(builder, op.getLoc(), op.getName().getStringRef(), operands, mayBeEqual, infer)))
    return failure();
  op.setOperands(operands);
  setTypes(&op, types);
  bool ok = true;
  for (Type type : types)
    ok &= succeeded(checkBytes(op.getLoc(), type, "a result"));
  return success(ok);
}

/// Removes a cast at a call (OpenCalls.h). Its declared type must match that of its operand, as far as it has names.
LogicalResult InferDims::inferCast(UnrealizedConversionCastOp op) {
  Value value = op.getOperand(0);
  auto given = cast<RankedTensorType>(value.getType()), declared = cast<RankedTensorType>(op.getResult(0).getType());
  if (isa_and_nonnull<func::CallOp, FunctionTransformOpInterface>(value.getDefiningOp()) &&
      failed(verifyCompatibleShape(given.getShape(), declared.getShape())))
    return op.emitError("the call is declared to return ") << declared << ", but the function returns " << given << " here";
  op.getResult(0).replaceAllUsesWith(value);
  op.erase();
  return success();
}

LogicalResult InferDims::inferKernel(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), kernel.getInputs()))
    argument.setType(operand.getType());
  LogicalResult result = inferBlock(body);
  setTypes(kernel, SmallVector<Type>(body.getTerminator()->getOperandTypes()));
  return result;
}

/// Sets the types of arguments to those of their initial values; a slice lacks the dimension of the loop.
LogicalResult InferDims::inferRegions(Operation *control) {
  auto scan = dyn_cast<ScanOp>(control);
  bool ok = true;
  for (Region &region : control->getRegions()) {
    for (BlockArgument argument : region.getArguments()) {
      auto type = cast<RankedTensorType>(operandOf(argument).getType());
      bool isSlice = scan && argument.getArgNumber() >= scan.getConsts().size() + scan.getCarry().size();
      argument.setType(isSlice ? sliceOf(type, scan.getDim()) : type);
    }
    ok &= succeeded(inferBlock(region.front()));
  }
  return success(ok);
}

/// Checks that the values that a loop's body passes on have the types of the initial carries, whatever their sizes. The entry
/// checks sizes that may be equal.
static LogicalResult checkCarries(ValueRange carries, Block &body, MayBeEqual mayBeEqual) {
  bool ok = true;
  for (auto [i, first, next] : llvm::enumerate(carries, body.getTerminator()->getOperands().take_front(carries.size())))
    if (!takeAs(body.getTerminator()->getOpOperand(i), first.getType(), "a carry", mayBeEqual)) {
      body.getTerminator()->emitError("carry ") << i << " starts as " << first.getType() << ", but the next step receives "
                                                << next.getType() << "; a carry must keep its type";
      ok = false;
    }
  return success(ok);
}

/// Infers an op that runs one of its regions, all of which yield the same types.
LogicalResult InferDims::inferBranches(Operation *op) {
  if (failed(inferRegions(op)))
    return failure();
  Operation *first = op->getRegion(0).front().getTerminator();
  for (Region &region : op->getRegions().drop_front()) {
    Operation *other = region.front().getTerminator();
    for (auto [i, one, type] : llvm::enumerate(first->getOperandTypes(), other->getOperandTypes()))
      if (!takeAs(other->getOpOperand(i), one, "a branch", mayBeEqual))
        return other->emitError("value ") << i << " is " << type << ", but the first branch yields " << one;
  }
  setTypes(op, SmallVector<Type>(first->getOperandTypes()));
  return success();
}

LogicalResult InferDims::inferMinimize(MinimizeOp op) {
  if (failed(op.checkMicroBatches([](const Dim &a, const Dim &b) { return a == b; })))
    return failure();
  FailureOr<func::FuncOp> loss = calleeFor(op, op.getLoss(), op.getLossTypes());
  if (succeeded(loss))
    op.setLoss(loss->getSymName());
  return loss;
}

LogicalResult InferDims::inferScan(ScanOp scan) {
  Dim steps = scan.getSteps();
  for (auto [i, value] : llvm::enumerate(scan.getXs()))
    if (Dim other = dimsOf(value)[scan.getDim()]; other != steps)
      return scan.emitError("operand 0 of 'over' has ")
             << steps.str() << " slices, but operand " << i << " has " << other.str();
  if (std::optional<ShapeAttr> trip = scan.getTrip(); trip && dimsOf(*trip).front() != steps)
    return scan.emitError("'trip' is ") << dimsOf(*trip).front().str() << ", but 'over' has " << steps.str() << " slices";
  Block &body = scan.getBody().front();
  if (failed(checkTrip(scan)) || failed(inferRegions(scan)) || failed(checkCarries(scan.getCarry(), body, mayBeEqual)))
    return failure();
  SmallVector<Type> types(scan.getCarry().getTypes());
  bool ok = true;
  for (Value collected : body.getTerminator()->getOperands().drop_front(types.size())) {
    types.push_back(stackOf(cast<RankedTensorType>(collected.getType()), scan.getDim(), steps));
    ok &= succeeded(checkBytes(scan.getLoc(), types.back(), "a result"));
  }
  setTypes(scan, types);
  return success(ok);
}

LogicalResult InferDims::inferWhile(WhileOp loop) {
  if (failed(inferRegions(loop)) || failed(checkCarries(loop.getCarry(), loop.getBody().front(), mayBeEqual)))
    return failure();
  setTypes(loop, SmallVector<Type>(loop.getCarry().getTypes()));
  return success();
}

/// Infers the callee's results, then their tangents or the cotangents of the arguments in `wrt`.
template <typename Op>
LogicalResult InferDims::inferDerivative(Op op) {
  FailureOr<func::FuncOp> callee = calleeFor(op, op.getCallee(), op.getInputs().getTypes());
  if (failed(callee))
    return failure();
  op.setCallee(callee->getSymName());
  SmallVector<Type> types(callee->getResultTypes());
  if constexpr (std::is_same_v<Op, JvpOp>) {
    for (Type type : callee->getResultTypes())
      if (isa<FloatType>(cast<RankedTensorType>(type).getElementType()))
        types.push_back(type);
  } else {
    for (int64_t index : op.getWrt())
      types.push_back(callee->getArgumentTypes()[index]);
  }
  setTypes(op, types);
  return success();
}

/// Infers a vmap. The callee sees one element of the batch; its results get the batch dimension in front.
LogicalResult InferDims::inferVmap(VmapOp op) {
  Dim batch = op.getBatch();
  for (auto [i, dim] : llvm::enumerate(op.getInDims()))
    if (dim != VmapOp::kShared)
      if (Dim given = dimsOf(op.getInputs()[i])[dim]; given != batch)
        return op.emitError("the batch is ")
               << batch.str() << " long, dimension " << dim << " of operand " << i << " is " << given.str();
  SmallVector<Type> elements = op.getElementTypes(), types;
  FailureOr<func::FuncOp> callee = calleeFor(op, op.getCallee(), TypeRange(elements));
  if (failed(callee))
    return failure();
  op.setCallee(callee->getSymName());
  bool ok = true;
  for (Type type : callee->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    Dims dims = dimsOf(tensor);
    dims.insert(dims.begin(), batch);
    types.push_back(tensorOf(dims, tensor.getElementType()));
    ok &= succeeded(checkBytes(op.getLoc(), types.back(), "a result"));
  }
  setTypes(op, types);
  return success(ok);
}

/// Returns the function for a call of `name` with these operands, with inferred result types.
FailureOr<func::FuncOp> InferDims::calleeFor(Operation *op, StringRef name, TypeRange operands) {
  auto callee = symbols->lookup<func::FuncOp>(name);
  if (!callee)
    return op->emitError("there is no function @") << name, failure();
  if (callee.isExternal())
    return op->emitError("@") << name << " has no body; define every called function in the graph", failure();
  if (callee.isPrivate())
    return instanceFor(op, callee, operands);
  for (auto [i, type] : llvm::enumerate(operands))
    if (type != callee.getArgumentTypes()[i]) {
      InFlightDiagnostic diagnostic =
          op->emitError("operand ")
          << i << " is " << type << ", argument " << nameOf(callee, i) << " of @" << name << " is "
          << callee.getArgumentTypes()[i]
          << "; a public function names its own dimensions, and a private one inherits those of its call";
      diagnostic.attachNote(callee.getLoc()) << "@" << name << " is declared here";
      return failure();
    }
  if (failed(inferFunction(callee)) || failed(inferRule(callee)))
    return failure();
  return callee;
}

FailureOr<func::FuncOp> InferDims::instanceFor(Operation *op, func::FuncOp callee, TypeRange types) {
  Template &source = templates[callee.getSymName().str()];
  for (func::FuncOp instance : source.instances)
    if (complete.contains(instance) && llvm::equal(instance.getArgumentTypes(), types))
      return instance;
  if (source.active) {
    InFlightDiagnostic diagnostic = op->emitError("@")
                                    << callee.getSymName() << " calls itself through this op; recursion is not supported";
    diagnostic.attachNote(callee.getLoc()) << "@" << callee.getSymName() << " is declared here";
    return failure();
  }
  func::FuncOp instance = callee;
  if (!source.original) {
    source.original = callee.clone();
  } else {
    instance = source.original->clone();
    symbols->insert(instance, std::next(callee->getIterator())); // finds a free name
  }
  ++instanceCount;
  source.instances.push_back(instance);
  source.active = true;
  LogicalResult result = success(succeeded(bindArguments(op, instance, types)) && succeeded(inferFunction(instance)));
  source.active = false;
  if (failed(result) || failed(inferRule(instance)))
    return failure();
  return instance;
}

/// Sets the argument types of an instance, and replaces its own dimension names accordingly.
LogicalResult InferDims::bindArguments(Operation *op, func::FuncOp instance, TypeRange types) {
  Values values;
  for (auto [i, type] : llvm::enumerate(types)) {
    Dims formals = declaredDims(instance, i), actuals = dimsOf(cast<RankedTensorType>(type));
    for (auto [d, formal] : llvm::enumerate(formals)) {
      SmallVector<std::string> names;
      formal.collectNames(names);
      if (names.size() == 1 && formal == Dim::named(names[0]))
        values.emplace(names[0], actuals[d]);
      if (Dim expected = formal.substitute(values); !mayEqual(expected, actuals[d])) {
        InFlightDiagnostic diagnostic = op->emitError("dimension ")
                                        << d << " of operand " << i << " is " << actuals[d].str() << ", @"
                                        << instance.getSymName() << " names it " << formal.str() << ", which is "
                                        << expected.str() << " here";
        diagnostic.attachNote(instance.getLoc()) << "@" << instance.getSymName() << " is declared here";
        return diagnostic;
      }
    }
  }
  substitute(instance, values); // before the arguments get their types, whose names are the caller's
  dropDims(instance);
  for (auto [i, type] : llvm::enumerate(types))
    instance.getArgument(i).setType(type);
  instance.setType(FunctionType::get(&getContext(), types, instance.getResultTypes()));
  return success();
}

// Verifiers of variables, dimensions and ops that refer to functions and variables.
#include "dialects/Lathe/IR/Bytes.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Optimizer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lathe;

LogicalResult VariableOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("'") << getSymName() << "' needs a static tensor type, got " << getType();
  std::optional<Dim> elements = numElements(dimsOf(type));
  if (!elements || elements->constant() > (int64_t(1) << 48))
    return emitOpError("'") << getSymName() << "' of type " << type << " is too large";
  Attribute initial = getInitial();
  if (isa<DenseElementsAttr, DenseResourceElementsAttr>(initial)) {
    if (Type given = cast<ElementsAttr>(initial).getShapedType(); given != type)
      return emitOpError("initialiser has type ") << given << ", but the variable has " << type;
    return verifyElements(*this, cast<ElementsAttr>(initial));
  }
  if (isa<ZerosAttr, FillAttr>(initial))
    return success();
  if (!isa<NormalAttr, UniformAttr, HeNormalAttr, GlorotUniformAttr>(initial))
    return emitOpError("has an unknown kind of initialiser: ")
           << initial << "; expected #lathe.zeros, fill, normal, uniform, he_normal, glorot_uniform or dense<...>";
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("random initialiser needs a float type, got ") << type;
  if (isa<HeNormalAttr, GlorotUniformAttr>(initial) && type.getRank() < 2)
    return emitOpError("a fan-based initialiser needs rank 2 or more, got ") << type;
  return success();
}

DimBounds lathe::boundsOf(ModuleOp module, StringRef dimension) {
  DimBounds bounds;
  if (auto declared = module.lookupSymbol<DimOp>(dimension))
    bounds = {int64_t(declared.getMinimum()), std::min(int64_t(declared.getMaximum()), kLargestDimension),
              int64_t(declared.getMultipleOf()), declared};
  return bounds;
}

LogicalResult DimOp::verify() {
  int64_t low = getMinimum(), high = getMaximum(), multiple = getMultipleOf();
  if (low < 0 || high < low)
    return emitOpError("'") << getSymName() << "' needs 0 <= minimum <= maximum, got " << low << " to " << high;
  if (multiple < 1)
    return emitOpError("'") << getSymName() << "' must be a multiple of a positive number, got " << multiple;
  if (high / multiple * multiple < low)
    return emitOpError("'") << getSymName() << "' cannot have any size: there is no multiple of " << multiple << " from " << low
                            << " to " << high;
  return success();
}

static LogicalResult verifyVariable(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr name, Type type) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable)
    return op->emitOpError("there is no variable ") << name;
  if (variable.getType() != type) {
    InFlightDiagnostic diagnostic = op->emitOpError("has type ") << type << ", variable " << name << " " << variable.getType();
    diagnostic.attachNote(variable.getLoc()) << name << " is declared here";
    return diagnostic;
  }
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariable(*this, symbols, getVariableAttr(), getResult().getType());
}
LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariable(*this, symbols, getVariableAttr(), getValue().getType());
}

// ---- Calls of functions by derivatives

/// True if the types are equal except for names of dimensions that import has not inferred yet.
static bool compatible(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (!left || !right)
    return a == b;
  if (left.getShape() != right.getShape() || left.getElementType() != right.getElementType())
    return false;
  return !left.getEncoding() || !right.getEncoding() || left.getEncoding() == right.getEncoding();
}

static func::FuncOp checkCallee(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr name, TypeRange operands) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!callee)
    return op->emitOpError("there is no function ") << name, nullptr;
  if (callee.getNumArguments() != operands.size()) {
    InFlightDiagnostic diagnostic = op->emitOpError("gives ")
                                    << operands.size() << " operands, " << name << " takes " << callee.getNumArguments();
    diagnostic.attachNote(callee.getLoc()) << name << " is declared here";
    return nullptr;
  }
  for (auto [i, type] : llvm::enumerate(callee.getArgumentTypes()))
    if (!compatible(operands[i], type)) {
      InFlightDiagnostic diagnostic = op->emitOpError("operand ")
                                      << i << " is " << operands[i] << ", " << name << " takes " << type;
      diagnostic.attachNote(callee.getLoc()) << name << " is declared here";
      return nullptr;
    }
  return callee;
}

static bool isFloatScalar(Type type) { return isFloatTensor(type) && cast<RankedTensorType>(type).getRank() == 0; }

static LogicalResult checkWrt(Operation *op, func::FuncOp callee, ArrayRef<int64_t> wrt) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t index : wrt) {
    if (index < 0 || index >= int64_t(callee.getNumArguments()))
      return op->emitOpError("'wrt' names argument ")
             << index << ", " << callee.getSymName() << " has " << callee.getNumArguments();
    if (!seen.insert(index).second)
      return op->emitOpError("'wrt' names argument ") << index << " twice";
    if (!isFloatTensor(callee.getArgumentTypes()[index]))
      return op->emitOpError("argument ") << index << " of " << callee.getSymName() << " is "
                                          << callee.getArgumentTypes()[index] << "; only floats have derivatives";
  }
  return success();
}

static LogicalResult checkTypes(Operation *op, StringRef what, TypeRange given, ArrayRef<Type> expected) {
  if (given.size() != expected.size())
    return op->emitOpError("has ") << given.size() << " " << what << ", expected " << expected.size();
  for (auto [i, type] : llvm::enumerate(expected))
    if (!compatible(given[i], type))
      return op->emitOpError() << what << " " << i << ": has type " << given[i] << ", expected " << type;
  return success();
}

static SmallVector<Type> argumentsOf(func::FuncOp callee, ArrayRef<int64_t> wrt) {
  SmallVector<Type> types;
  for (int64_t index : wrt)
    types.push_back(callee.getArgumentTypes()[index]);
  return types;
}

static SmallVector<Type> join(TypeRange first, ArrayRef<Type> second) {
  SmallVector<Type> types(first);
  llvm::append_range(types, second);
  return types;
}

LogicalResult ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp callee = checkCallee(*this, symbols, getCalleeAttr(), getInputs().getTypes());
  if (!callee)
    return failure();
  TypeRange results = callee.getResultTypes();
  if (results.empty() || !isFloatScalar(results[0]))
    return emitOpError("the first result of ")
           << getCalleeAttr() << " must be a rank 0 float, the value whose gradient is taken";
  if (failed(checkWrt(*this, callee, getWrt())))
    return failure();
  return checkTypes(*this, "results", getResultTypes(), join(results, argumentsOf(callee, getWrt())));
}

LogicalResult JvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp callee = checkCallee(*this, symbols, getCalleeAttr(), getInputs().getTypes());
  if (!callee || failed(checkWrt(*this, callee, getWrt())) ||
      failed(checkTypes(*this, "tangents", getTangents().getTypes(), argumentsOf(callee, getWrt()))))
    return failure();
  return checkTypes(*this, "results", getResultTypes(), join(callee.getResultTypes(), floatsOf(callee.getResultTypes())));
}

LogicalResult VjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  func::FuncOp callee = checkCallee(*this, symbols, getCalleeAttr(), getInputs().getTypes());
  if (!callee || failed(checkWrt(*this, callee, getWrt())) ||
      failed(checkTypes(*this, "cotangents", getCotangents().getTypes(), floatsOf(callee.getResultTypes()))))
    return failure();
  return checkTypes(*this, "results", getResultTypes(), join(callee.getResultTypes(), argumentsOf(callee, getWrt())));
}

SmallVector<Type> VmapOp::getElementTypes() {
  SmallVector<Type> types;
  for (auto [input, dim] : llvm::zip_equal(getInputs(), getInDims())) {
    auto type = cast<RankedTensorType>(input.getType());
    Dims dims = dimsOf(type);
    if (dim != kShared)
      dims.erase(dims.begin() + dim);
    types.push_back(dim == kShared ? type : tensorOf(dims, type.getElementType()));
  }
  return types;
}

Dim VmapOp::getBatch() {
  Dim batch = Dim::unknown();
  for (auto [input, dim] : llvm::zip_equal(getInputs(), getInDims()))
    if (batch.isUnknown() && dim != kShared)
      batch = dimsOf(input)[dim];
  return batch;
}

/// Checks `in` by itself, before it is used with operands.
static LogicalResult checkBatchDims(VmapOp op) {
  ArrayRef<int64_t> in = op.getInDims();
  if (in.size() != op.getInputs().size())
    return op.emitOpError("'in' has ") << in.size() << " entries, but there are " << op.getInputs().size() << " operands";
  for (auto [i, dim] : llvm::enumerate(in)) {
    auto type = cast<RankedTensorType>(op.getInputs()[i].getType());
    if (dim != VmapOp::kShared && (dim < 0 || dim >= type.getRank()))
      return op.emitOpError("'in' names dimension ")
             << dim << " of operand " << i << ", which is " << type << "; expected one below its rank, or none";
  }
  if (llvm::all_of(in, [](int64_t dim) { return dim == VmapOp::kShared; }))
    return op.emitOpError("has no batched operand; expected a dimension in 'in' that is not none");
  Dim batch = op.getBatch();
  for (auto [i, dim] : llvm::enumerate(in))
    if (dim != VmapOp::kShared)
      if (Dim given = dimsOf(op.getInputs()[i])[dim]; !mayEqual(given, batch))
        return op.emitOpError("the batch is ")
               << batch.str() << " long, dimension " << dim << " of operand " << i << " is " << given.str();
  return success();
}

LogicalResult VmapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(checkBatchDims(*this)))
    return failure();
  func::FuncOp callee = checkCallee(*this, symbols, getCalleeAttr(), TypeRange(getElementTypes()));
  if (!callee)
    return failure();
  SmallVector<Type> expected;
  for (Type type : callee.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return emitOpError("adds a batch dimension to the results of ")
             << getCalleeAttr() << ", but " << type << " is not a tensor";
    Dims dims = dimsOf(tensor);
    dims.insert(dims.begin(), getBatch());
    expected.push_back(tensorOf(dims, tensor.getElementType()));
  }
  return checkTypes(*this, "results", getResultTypes(), expected);
}

bool MinimizeOp::isSplit(unsigned input) { return getMicroBatches() && llvm::is_contained(*getMicroBatches(), input); }

SmallVector<Type> MinimizeOp::getLossTypes() {
  SmallVector<Type> types(getInputs().getTypes());
  for (int64_t input : getMicroBatches().value_or(ArrayRef<int64_t>()))
    types[input] = sliceOf(cast<RankedTensorType>(types[input]), 0);
  return types;
}

LogicalResult MinimizeOp::checkMicroBatches(llvm::function_ref<bool(const Dim &, const Dim &)> fit) {
  std::optional<ArrayRef<int64_t>> split = getMicroBatches();
  if (!split)
    return success();
  if (split->empty())
    return emitOpError("'micro_batches' is empty; name the operands whose first dimension is the number of micro-batches");
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t input : *split) {
    if (input < 0 || input >= int64_t(getInputs().size()))
      return emitOpError("'micro_batches' names operand ") << input << "; there are " << getInputs().size();
    if (!seen.insert(input).second)
      return emitOpError("'micro_batches' names operand ") << input << " twice";
    if (cast<RankedTensorType>(getInputs()[input].getType()).getRank() == 0)
      return emitOpError("operand ") << input << " of 'micro_batches' has rank 0; expected a first dimension, the number of "
                                     << "micro-batches";
    Dim steps = dimsOf(getInputs()[split->front()]).front(), other = dimsOf(getInputs()[input]).front();
    if (!fit(steps, other))
      return emitOpError("operand ") << split->front() << " has " << steps.str() << " micro-batches, but operand " << input
                                     << " has " << other.str();
  }
  return success();
}

LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(checkMicroBatches([](const Dim &a, const Dim &b) { return mayEqual(a, b); })))
    return failure();
  func::FuncOp callee = checkCallee(*this, symbols, getLossAttr(), getLossTypes());
  if (!callee)
    return failure();
  TypeRange results = callee.getResultTypes();
  if (results.size() != 1 || !isFloatScalar(results[0]))
    return emitOpError("the loss ") << getLossAttr() << " must have one rank 0 float result";
  if (!composites::optimizerOf(getOptimizer()))
    return emitOpError("there is no optimiser ") << getOptimizer().getName() << "; docs/std.md lists those of the library";
  if (getLearningRate() && cast<RankedTensorType>(getLearningRate().getType()).getRank() != 0)
    return emitOpError("'learning_rate' must be a rank 0 tensor, got ") << getLearningRate().getType();
  if (std::optional<ArrayAttr> wrt = getWrt())
    for (Attribute name : *wrt) {
      auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(*this, cast<FlatSymbolRefAttr>(name));
      if (!variable)
        return emitOpError("there is no variable ") << name;
      if (!isFloatTensor(variable.getType()))
        return emitOpError("variable ") << name << " is " << variable.getType() << "; only floats have derivatives";
    }
  return checkTypes(*this, "results", getOperation()->getResultTypes(), SmallVector<Type>(results));
}

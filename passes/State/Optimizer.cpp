// SGD:  v = momentum * v + g,  w -= lr * v
// Adam (Kingma and Ba 2015, algorithm 1), for step t = 1, 2, ...:
//   m = b1 * m + (1 - b1) * g,  v = b2 * v + (1 - b2) * g * g
//   w -= lr * (m / c1) / (sqrt(v / c2) + epsilon)  with  c1 = 1 - b1^t,  c2 = 1 - b2^t
// Both corrections are scalars, and sqrt(c2) can leave the root; so an element costs one root and one division:
//   w -= a * m / (sqrt(v) + e)  with  a = lr * sqrt(c2) / c1,  e = epsilon * sqrt(c2)
// 1 - b^t is -expm1(t * log b), exact where b^t is near 1. These scalars are f64 if one of the step's parameters is, else f32,
// where t stops to grow at 2^24; b^t is 0 long before.
// The slots of an f16 or bf16 parameter are f32, and its update is rounded once, at the end.
#include "passes/State/Optimizer.h"
#include "passes/State/StateBuilder.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

static RankedTensorType typeOf(VariableOp variable) { return cast<RankedTensorType>(variable.getType()); }

static Type widestElement(ArrayRef<VariableOp> variables) {
  auto isDouble = [](VariableOp variable) { return typeOf(variable).getElementType().isF64(); };
  MLIRContext *context = variables.front()->getContext();
  return llvm::any_of(variables, isDouble) ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
}

/// What a parameter is updated in.
static RankedTensorType slotType(VariableOp parameter) {
  RankedTensorType type = typeOf(parameter);
  return isHalf(type.getElementType()) ? type.clone(Float32Type::get(type.getContext())) : type;
}

// ---- Parameters and slots

LogicalResult Optimizer::plan(ModuleOp module) {
  SmallVector<MinimizeOp> ops;
  module.walk([&](MinimizeOp op) { ops.push_back(op); });
  for (MinimizeOp op : ops)
    if (failed(planOne(op)))
      return failure();
  return success();
}

LogicalResult Optimizer::planOne(MinimizeOp op) {
  Names read = readBy(calleeOf(op)), chosen;
  if (std::optional<ArrayAttr> wrt = op.getWrt())
    for (auto name : wrt->getAsRange<FlatSymbolRefAttr>()) {
      if (!read.contains(name.getAttr()))
        return op.emitOpError("cannot minimize by ") << name << ": the loss " << op.getLossAttr() << " does not read it";
      chosen.insert(name.getAttr());
    }
  Step &step = steps[op];
  for (VariableOp variable : variables.inOrder(op.getWrt() ? chosen : read))
    if (isa<FloatType>(typeOf(variable).getElementType()))
      step.parameters.push_back(variable);
  if (step.parameters.empty())
    return op.emitOpError("has nothing to update: the loss ") << op.getLossAttr() << " reads no float variable";

  auto sgd = dyn_cast<SGDAttr>(op.getOptimizer());
  SmallVector<StringRef> suffixes;
  if (!sgd)
    suffixes = {".mean", ".variance"};
  else if (double(sgd.getMomentum()) != 0)
    suffixes = {".momentum"};
  SmallVector<Attribute> names;
  for (VariableOp parameter : step.parameters) {
    names.push_back(parameter.getSymNameAttr());
    for (StringRef suffix : suffixes)
      if (failed(slot(op, parameter.getSymName() + suffix, slotType(parameter))))
        return failure();
  }
  if (sgd)
    return success();
  // Steps of the same parameters count together; those of others (the two sides of an adversarial pair) on their own.
  VariableOp &count = counts[ArrayAttr::get(op.getContext(), names)];
  if (!count) {
    std::string number = counts.size() == 1 ? "" : "." + std::to_string(counts.size());
    FailureOr<VariableOp> made = slot(op, "adam.step" + number, RankedTensorType::get({}, widestElement(step.parameters)));
    if (failed(made))
      return failure();
    count = *made;
  }
  step.count = count;
  return success();
}

FailureOr<VariableOp> Optimizer::slot(MinimizeOp op, const Twine &name, RankedTensorType type) {
  auto symbol = StringAttr::get(op.getContext(), name);
  Operation *existing = SymbolTable::lookupNearestSymbolFrom(op, symbol);
  if (slots.contains(symbol)) // of another minimize of the same variable
    return cast<VariableOp>(existing);
  if (existing) {
    InFlightDiagnostic diagnostic = op.emitOpError("needs the name @") << symbol.getValue() << " for a slot of its optimiser";
    diagnostic.attachNote(existing->getLoc()) << "@" << symbol.getValue() << " is declared here";
    return diagnostic;
  }
  slots.insert(symbol);
  return variables.addZeros(symbol.getValue(), type, op.getLoc());
}

// ---- One step

namespace {
class Update {
public:
  Update(MinimizeOp op, OpBuilder &builder) : op(op), b{builder, op.getLoc()} {}

  Value read(StringRef name, RankedTensorType type) { return ReadOp::create(b.builder, b.location, type, name); }
  void write(StringRef name, Value value) { WriteOp::create(b.builder, b.location, name, value); }

  /// Scalars of a step of Adam, before any parameter.
  void beginAdam(AdamAttr adam, VariableOp count) {
    RankedTensorType type = typeOf(count);
    Value t = b.add(read(count.getSymName(), type), b.splat(type, 1));
    write(count.getSymName(), t);
    auto correction = [&](double beta) { return Value(b.make<NegOp>(b.make<Expm1Op>(b.scale(t, std::log(beta))))); };
    Value root = b.make<SqrtOp>(correction(adam.getBeta2()));
    Value rate = learningRate(adam.getLearningRate(), type.getElementType());
    factor = b.make<DivOp>(b.mul(rate, root), correction(adam.getBeta1()));
    epsilon = b.scale(root, adam.getEpsilon());
  }

  void adam(AdamAttr adam, VariableOp parameter, Value w, Value g) {
    RankedTensorType type = slotType(parameter);
    w = b.convert(w, type.getElementType());
    g = b.convert(g, type.getElementType());
    std::string meanName = (parameter.getSymName() + ".mean").str(),
                varianceName = (parameter.getSymName() + ".variance").str();
    Value mean = b.add(b.scale(read(meanName, type), adam.getBeta1()), b.scale(g, 1 - adam.getBeta1()));
    Value variance = b.add(b.scale(read(varianceName, type), adam.getBeta2()), b.scale(b.mul(g, g), 1 - adam.getBeta2()));
    write(meanName, mean);
    write(varianceName, variance);
    auto scalar = [&](Value value) { return b.spread(b.convert(value, type.getElementType()), type); };
    Value denominator = b.add(b.make<SqrtOp>(variance), scalar(epsilon));
    update(parameter, b.sub(w, b.make<DivOp>(b.mul(mean, scalar(factor)), denominator)));
  }

  void sgd(SGDAttr sgd, VariableOp parameter, Value w, Value g) {
    RankedTensorType type = slotType(parameter);
    w = b.convert(w, type.getElementType());
    g = b.convert(g, type.getElementType());
    if (double(sgd.getMomentum()) != 0) {
      std::string name = (parameter.getSymName() + ".momentum").str();
      g = b.add(b.scale(read(name, type), sgd.getMomentum()), g);
      write(name, g);
    }
    Value rate = op.getLearningRate() ? b.spread(learningRate(0, type.getElementType()), type) : Value();
    update(parameter, b.sub(w, rate ? b.mul(g, rate) : b.scale(g, sgd.getLearningRate())));
  }

private:
  void update(VariableOp parameter, Value value) {
    write(parameter.getSymName(), b.convert(value, typeOf(parameter).getElementType()));
  }
  /// The op's operand, or else the attribute's number.
  Value learningRate(double number, Type element) {
    if (Value given = op.getLearningRate())
      return b.convert(given, element);
    return b.splat(RankedTensorType::get({}, element), number);
  }

  MinimizeOp op;
  StateBuilder b;
  Value factor, epsilon;
};
} // namespace

void Optimizer::expand(MinimizeOp op, func::FuncOp loss) {
  OpBuilder builder(op);
  Update update(op, builder);
  const Step &step = steps.find(op)->second;

  SmallVector<Value> arguments(op.getInputs());
  SmallVector<int64_t> wrt;
  SmallVector<VariableOp> parameters; // without those that the loss writes before it reads them
  for (unsigned i = arguments.size(); i < loss.getNumArguments(); ++i) {
    VariableOp variable = variables.find(loss.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr).getAttr());
    arguments.push_back(update.read(variable.getSymName(), typeOf(variable)));
    if (llvm::is_contained(step.parameters, variable)) {
      parameters.push_back(variable);
      wrt.push_back(i);
    }
  }
  SmallVector<Type> types(loss.getResultTypes());
  for (VariableOp parameter : parameters)
    types.push_back(typeOf(parameter));
  auto grad = ValueAndGradOp::create(builder, op.getLoc(), types, op.getLoss(), arguments, wrt);

  for (unsigned i = 1; i < loss.getNumResults(); ++i)
    update.write(loss.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr).getValue(), grad.getResult(i));
  auto adam = dyn_cast<AdamAttr>(op.getOptimizer());
  if (adam)
    update.beginAdam(adam, step.count);
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    Value w = arguments[wrt[i]], g = grad.getResult(loss.getNumResults() + i);
    if (adam)
      update.adam(adam, parameter, w, g);
    else
      update.sgd(cast<SGDAttr>(op.getOptimizer()), parameter, w, g);
  }
  op.getResult().replaceAllUsesWith(grad.getResult(0));
  op.erase();
}

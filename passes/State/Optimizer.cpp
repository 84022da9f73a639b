// A step of an optimiser is its composite of the library (lathe.std), once for each parameter. Scalars of a step are f64 if one
// of its parameters is, else f32. In f32 the number of steps stops growing at 2^24; powers of betas are 0 long before. The
// slots of an f16 or bf16 parameter are f32, and its update is rounded once, at the end. With `slots = bf16` they are bf16, and
// each new value is rounded stochastically: rounded to nearest, a mean of squares that changes by less than half a unit in the
// last place would never change.
#include "passes/State/Optimizer.h"
#include "dialects/Lathe/IR/Callees.h"
#include "dialects/Lathe/Std/Optimizer.h"
#include "passes/State/Gradients.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

static RankedTensorType typeOf(VariableOp variable) { return cast<RankedTensorType>(variable.getType()); }

static Type widestElement(ArrayRef<VariableOp> variables) {
  auto isDouble = [](VariableOp variable) { return typeOf(variable).getElementType().isF64(); };
  MLIRContext *context = variables.front()->getContext();
  return llvm::any_of(variables, isDouble) ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
}

/// Returns the type in which a parameter is updated, and its slots too.
static RankedTensorType updateType(VariableOp parameter) {
  RankedTensorType type = typeOf(parameter);
  return isHalf(type.getElementType()) ? type.clone(Float32Type::get(type.getContext())) : type;
}

static bool roundsSlots(MinimizeOp op) { return op.getOptimizer().getOptions().contains(composites::kSlotsOption); }

static RankedTensorType slotType(MinimizeOp op, VariableOp parameter) {
  RankedTensorType type = updateType(parameter);
  return roundsSlots(op) ? type.clone(BFloat16Type::get(type.getContext())) : type;
}

static std::string slotName(VariableOp parameter, StringRef slot) { return (parameter.getSymName() + "." + slot).str(); }

// ---- Parameters and slots

/// Marks a slot. Its value is the list of parameters for a number of steps, and empty for other slots.
static constexpr StringLiteral kSlotAttr = "lathe.slot";

Optimizer::Optimizer(Variables &variables) : variables(variables) {
  for (VariableOp variable : variables.all()) {
    auto parameters = dyn_cast_or_null<ArrayAttr>(variable->removeAttr(kSlotAttr));
    if (!parameters)
      continue;
    slots.insert(variable.getSymNameAttr());
    if (!parameters.empty())
      counts[parameters] = variable;
  }
}

void Optimizer::markSlots() const {
  for (VariableOp variable : variables.inOrder(slots))
    variable->setAttr(kSlotAttr, ArrayAttr::get(variable.getContext(), {}));
  for (auto [parameters, variable] : counts)
    variable->setAttr(kSlotAttr, parameters);
}

LogicalResult Optimizer::plan(ModuleOp module) {
  SmallVector<MinimizeOp> ops;
  module.walk([&](MinimizeOp op) { ops.push_back(op); });
  for (MinimizeOp op : ops)
    if (failed(planOne(op)))
      return failure();
  return success();
}

LogicalResult Optimizer::planOne(MinimizeOp op) {
  Accesses accesses = accessesOf(calleeOf(op));
  Names chosen;
  if (std::optional<ArrayAttr> wrt = op.getWrt())
    for (auto name : wrt->getAsRange<FlatSymbolRefAttr>()) {
      if (!accesses.read.contains(name.getAttr()))
        return op.emitOpError("cannot minimize by ") << name << ": the loss " << op.getLossAttr() << " does not read it";
      chosen.insert(name.getAttr());
    }
  else
    for (StringAttr name : accesses.read)
      if (!accesses.written.contains(name))
        chosen.insert(name);
  Step &step = steps[op];
  for (VariableOp variable : variables.inOrder(chosen))
    if (isa<FloatType>(typeOf(variable).getElementType()))
      step.parameters.push_back(variable);
  if (step.parameters.empty())
    return op.emitOpError("has no variable to update: the loss ")
           << op.getLossAttr() << " reads no float variable that it does not write";

  const composites::Template &rule = *composites::optimizerOf(op.getOptimizer());
  SmallVector<Attribute> names;
  for (VariableOp parameter : step.parameters) {
    names.push_back(parameter.getSymNameAttr());
    for (StringRef suffix : composites::slotsOf(rule))
      if (failed(slot(op, slotName(parameter, suffix), slotType(op, parameter))))
        return failure();
  }
  if (!composites::countsSteps(rule) && !(roundsSlots(op) && !composites::slotsOf(rule).empty()))
    return success();
  // Steps of the same parameters share a count; steps of others (the two sides of an adversarial pair) have their own.
  VariableOp &count = counts[ArrayAttr::get(op.getContext(), names)];
  if (!count) {
    std::string number = counts.size() == 1 ? "" : "." + std::to_string(counts.size());
    FailureOr<VariableOp> made =
        slot(op, rule.name + ".step" + number, RankedTensorType::get({}, widestElement(step.parameters)));
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
  if (slots.contains(symbol)) { // of another minimize of the same variable
    auto shared = cast<VariableOp>(existing);
    if (shared.getType() == type)
      return shared;
    InFlightDiagnostic diagnostic = op.emitOpError("keeps the slot @")
                                    << symbol.getValue() << " as " << type << ", but another "
                                    << "lathe.minimize keeps it as " << shared.getType() << "; give both the same 'slots'";
    diagnostic.attachNote(shared.getLoc()) << "the other one is here";
    return diagnostic;
  }
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
  Update(MinimizeOp op, OpBuilder &builder, Type scalar)
      : op(op), optimizer(op.getOptimizer()), rule(*composites::optimizerOf(optimizer)), b{builder, op.getLoc()},
        scalar(RankedTensorType::get({}, scalar)) {
    NamedAttrList given(optimizer.getOptions());
    for (const composites::Parameter &parameter : rule.parameters)
      if (Attribute value = given.get(parameter.name); value && !parameter.isOperand())
        options.set(parameter.name, value);
  }

  Value read(StringRef name, RankedTensorType type) { return ReadOp::create(b.builder, b.location, type, name); }
  void write(StringRef name, Value value) { WriteOp::create(b.builder, b.location, name, value); }

  /// Emits the values that all parameters share: the learning rate and the number of this step.
  void begin(VariableOp count) {
    double otherwise = rule.name == "sgd" || rule.name == "momentum" ? 1e-2 : 1e-3;
    Value given = op.getLearningRate();
    rate = given ? given : b.splat(scalar, optimizer.getReal("learning_rate", otherwise));
    if (!count)
      return;
    step = b.add(read(count.getSymName(), scalar), b.splat(scalar, 1));
    write(count.getSymName(), step);
    if (composites::countsSteps(rule))
      rate = b.convert(rate, scalar.getElementType());
  }

  /// Scales all gradients together to at most the length `clip_norm`.
  void clip(MutableArrayRef<Value> gradients) {
    double limit = optimizer.getReal("clip_norm", INFINITY);
    if (std::isinf(limit))
      return;
    Value total;
    for (Value gradient : gradients) {
      Value wide = b.convert(gradient, scalar.getElementType());
      auto all = llvm::to_vector(llvm::seq<int64_t>(0, StateBuilder::typeOf(wide).getRank()));
      Value squares = b.make<ReduceOp>(ReduceKind::Sum, b.mul(wide, wide), b.builder.getDenseI64ArrayAttr(all));
      total = total ? b.add(total, squares) : squares;
    }
    Value factor =
        composite("clip_factor", scalar, total, b.builder.getNamedAttr("limit", b.builder.getF64FloatAttr(limit)))[0];
    for (Value &gradient : gradients) {
      Type element = StateBuilder::typeOf(gradient).getElementType();
      Type wide = isHalf(element) ? scalar.getElementType() : element;
      Value exact = b.convert(gradient, wide);
      gradient = b.convert(b.mul(exact, b.spread(b.convert(factor, wide), StateBuilder::typeOf(exact))), element);
    }
  }

  void update(VariableOp parameter, Value w, Value g) {
    RankedTensorType type = updateType(parameter), stored = slotType(op, parameter);
    Type element = type.getElementType();
    bool counts = composites::countsSteps(rule);
    SmallVector<Value> operands{b.convert(w, element), b.convert(g, element), counts ? rate : b.convert(rate, element)};
    if (counts)
      operands.push_back(step);
    SmallVector<StringRef> slots = composites::slotsOf(rule);
    for (StringRef slot : slots)
      operands.push_back(b.convert(read(slotName(parameter, slot), stored), element));
    ResultRange results = composite(rule.name, SmallVector<Type>(1 + slots.size(), type), operands, options);
    SmallVector<Value> next(results.drop_front());
    if (roundsSlots(op))
      round(next, stored);
    for (auto [slot, value] : llvm::zip_equal(slots, next))
      write(slotName(parameter, slot), value);
    write(parameter.getSymName(), b.convert(results[0], typeOf(parameter).getElementType()));
  }

private:
  /// Rounds slots stochastically. Two of them share the halves of a random word.
  void round(MutableArrayRef<Value> slots, RankedTensorType stored) {
    Value bits;
    for (auto [i, slot] : llvm::enumerate(slots)) {
      NamedAttrList half;
      if (i % 2 == 0)
        bits = b.make<RandomBitsOp>(b.convert(step, b.builder.getI64Type()), streams++,
                                    shapeOf(op.getContext(), dimsOf(stored)), b.builder.getI32Type());
      else
        half.set("upper", b.builder.getUnitAttr());
      slot = b.convert(composite("stochastic_round", slot.getType(), {slot, bits}, half)[0], stored.getElementType());
    }
  }

  /// Emits a composite with explicit types, so that its expansion reports options that it does not take.
  ResultRange composite(StringRef name, TypeRange types, ValueRange operands, ArrayRef<NamedAttribute> with) {
    return StdOp::create(b.builder, b.location, types, b.builder.getStringAttr(name), operands, b.builder.getArrayAttr({}),
                         b.builder.getDictionaryAttr(with))
        .getResults();
  }

  MinimizeOp op;
  OptimizerAttr optimizer;
  const composites::Template &rule;
  StateBuilder b;
  RankedTensorType scalar;
  NamedAttrList options;
  Value rate, step;
  int64_t streams = 0; // of random bits
};
} // namespace

void Optimizer::expand(MinimizeOp op, func::FuncOp loss) {
  OpBuilder builder(op);
  const Step &step = steps.find(op)->second;
  Update update(op, builder, widestElement(step.parameters));

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
  StateBuilder b{builder, op.getLoc()};
  Gradients made = emitGradients(b, op, loss, arguments, wrt);
  for (auto [i, value] : llvm::enumerate(made.written))
    update.write(loss.getResultAttrOfType<FlatSymbolRefAttr>(i + 1, kStateAttr).getValue(), value);
  update.begin(step.count);
  update.clip(made.gradients);
  for (auto [parameter, index, gradient] : llvm::zip_equal(parameters, wrt, made.gradients))
    update.update(parameter, arguments[index], gradient);
  op.getResult().replaceAllUsesWith(made.loss);
  op.erase();
}

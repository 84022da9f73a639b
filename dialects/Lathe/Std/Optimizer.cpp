#include "dialects/Lathe/Std/Optimizer.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "dialects/Lathe/Std/Options.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static constexpr StringLiteral kLeading[] = {"parameter", "gradient", "learning_rate"};
/// Options of lathe.minimize itself.
static constexpr StringLiteral kCommon[] = {"learning_rate", "clip_norm", kSlotsOption};

static bool isOptimizer(const Template *source) {
  return source && source->parameters.size() >= std::size(kLeading) &&
         llvm::equal(kLeading, ArrayRef(source->parameters).take_front(std::size(kLeading)),
                     [](StringRef name, const Parameter &parameter) { return parameter.name == name; });
}

const Template *lathe::composites::optimizerOf(OptimizerAttr optimizer) {
  StringRef name = optimizer.getName().getValue();
  const Template *source = findTemplate(name == "sgd" && optimizer.getReal("momentum", 0) != 0 ? "momentum" : name);
  return isOptimizer(source) ? source : nullptr;
}

bool lathe::composites::countsSteps(const Template &optimizer) {
  return llvm::any_of(optimizer.parameters, [](const Parameter &each) { return each.isOperand() && each.name == "step"; });
}

SmallVector<StringRef> lathe::composites::slotsOf(const Template &optimizer) {
  SmallVector<StringRef> slots;
  for (const Parameter &parameter : llvm::drop_begin(optimizer.parameters, std::size(kLeading)))
    if (parameter.isOperand() && parameter.name != "step")
      slots.push_back(parameter.name);
  return slots;
}

double OptimizerAttr::getReal(StringRef option, double otherwise) const {
  auto real = getOptions().getAs<FloatAttr>(option);
  return real ? real.getValueAsDouble() : otherwise;
}

/// Returns an option of the optimiser, or null; `sgd` also has those of `momentum`.
static const Parameter *findOption(const Template &source, StringRef name) {
  static const Parameter number{"", Parameter::Kind::Real, false, {}, {}};
  static const Parameter slots{kSlotsOption.str(), Parameter::Kind::Choice, false, {}, {"bf16"}};
  if (name == kSlotsOption)
    return &slots;
  if (llvm::is_contained(kCommon, name))
    return &number;
  const Parameter *found = source.find(name);
  return found || source.name != "sgd" ? found : findTemplate("momentum")->find(name);
}

static ParseResult parseOptimizerOption(AsmParser &parser, const Template &source, NamedAttrList &options) {
  llvm::SMLoc place = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  const Parameter *parameter = findOption(source, name);
  if (!parameter || options.get(name)) {
    SmallVector<StringRef> names(std::begin(kCommon), std::end(kCommon));
    for (const Parameter &each : source.parameters)
      if (!each.isOperand())
        names.push_back(each.name);
    return parser.emitError(place, "") << source.name << (parameter ? " has '" : " has no option '") << name
                                       << (parameter ? "' twice" : "'; expected one of " + llvm::join(names, ", "));
  }
  bool isFlag = parameter->kind == Parameter::Kind::Flag;
  if (isFlag && succeeded(parser.parseOptionalEqual()))
    return parser.emitError(place, "'") << name << "' of " << source.name << " is a flag; write it without a value";
  if (!isFlag && parser.parseEqual())
    return failure();
  Attribute value = parseOption(parser, *parameter);
  if (!value)
    return failure();
  options.set(name, value);
  return success();
}

ParseResult lathe::parseOptimizer(OpAsmParser &parser, OptimizerAttr &optimizer) {
  llvm::SMLoc place = parser.getCurrentLocation();
  StringRef name;
  NamedAttrList options;
  if (parser.parseKeyword(&name))
    return failure();
  const Template *source = findTemplate(name);
  if (!isOptimizer(source)) {
    SmallVector<StringRef> names;
    for (const Template &each : library())
      if (isOptimizer(&each))
        names.push_back(each.name);
    return parser.emitError(place, "there is no optimiser '") << name << "'; expected one of " << llvm::join(names, ", ");
  }
  auto option = [&] { return parseOptimizerOption(parser, *source, options); };
  if (parser.parseLess())
    return failure();
  if (failed(parser.parseOptionalGreater()) && (parser.parseCommaSeparatedList(option) || parser.parseGreater()))
    return failure();
  MLIRContext *context = parser.getContext();
  optimizer = OptimizerAttr::get(context, StringAttr::get(context, name), options.getDictionary(context));
  if (name == "sgd" && options.get("nesterov") && optimizer.getReal("momentum", 0) == 0)
    return parser.emitError(place, "sgd: 'nesterov' needs a momentum, as in sgd<momentum = 0.9, nesterov>");
  return success();
}

void lathe::printOptimizer(OpAsmPrinter &printer, Operation *, OptimizerAttr optimizer) {
  printer << optimizer.getName().getValue() << '<';
  llvm::interleaveComma(optimizer.getOptions(), printer, [&](NamedAttribute option) {
    printer << option.getName().getValue() << (isa<UnitAttr>(option.getValue()) ? "" : " = ");
    printOption(printer, option.getValue());
  });
  printer << '>';
}

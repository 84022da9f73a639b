// Text and inference of lathe.std. The text includes the composite's name in the op's: `lathe.std.softmax`.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"
#include "dialects/Lathe/Std/Options.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static constexpr StringLiteral kPrefix = "lathe.std.";

// ---- Parsing

namespace {
/// The named operands and options of a use, which follow its operands.
struct Clauses {
  SmallVector<std::pair<const Parameter *, OpAsmParser::UnresolvedOperand>> operands;
  NamedAttrList options;
};
} // namespace

static std::string parameterNames(const Template &source) {
  std::vector<std::string> names;
  for (const Parameter &parameter : source.parameters)
    if (!parameter.isOperand() || parameter.optional)
      names.push_back(parameter.name);
  return names.empty() ? "nothing" : llvm::join(names, ", ");
}

static ParseResult parseClauses(OpAsmParser &parser, const Template &source, Clauses &clauses) {
  StringRef keyword;
  llvm::SMLoc place = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&keyword))) {
    const Parameter *parameter = source.find(keyword);
    if (!parameter)
      return parser.emitError(place, kPrefix)
             << source.name << " takes " << parameterNames(source) << " after its operands, got '" << keyword << "'";
    bool repeated =
        clauses.options.get(keyword) || llvm::any_of(clauses.operands, [&](auto &each) { return each.first == parameter; });
    if (repeated)
      return parser.emitError(place, kPrefix) << source.name << ": '" << keyword << "' occurs twice";
    if (parameter->isOperand()) {
      do
        if (parser.parseOperand(clauses.operands.emplace_back(parameter, OpAsmParser::UnresolvedOperand()).second))
          return failure();
      while (parameter->many && succeeded(parser.parseOptionalComma()));
    } else if (Attribute option = parseOption(parser, *parameter)) {
      clauses.options.set(keyword, option);
    } else {
      return failure();
    }
    place = parser.getCurrentLocation();
  }
  return success();
}

/// Parses one type for all operands, or one for each in the order of the text.
static ParseResult parseOperandTypes(OpAsmParser &parser, size_t count, SmallVectorImpl<Type> &types) {
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types))
    return failure();
  if (types.size() == 1)
    types.resize(count, types.front());
  if (types.size() != count)
    return parser.emitError(place, "expected ") << count << " types, one for each operand, got " << types.size();
  return success();
}

static ParseResult parseStd(OpAsmParser &parser, OperationState &state) {
  StringRef name = state.name.getStringRef().drop_front(kPrefix.size());
  const Template *source = findTemplate(name);
  if (!source)
    return parser.emitError(parser.getNameLoc(), "there is no ") << kPrefix << name << hintFor(name);
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Clauses clauses;
  SmallVector<Type> types;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parseClauses(parser, *source, clauses) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parseOperandTypes(parser, operands.size() + clauses.operands.size(), types))
    return failure();
  // Optional operands are stored in the template's order, each with the type at its position in the text.
  SmallVector<std::pair<const Parameter *, unsigned>> order;
  for (auto [i, each] : llvm::enumerate(clauses.operands))
    order.push_back({each.first, operands.size() + i});
  llvm::sort(order);
  SmallVector<Attribute> given;
  SmallVector<Type> ordered(ArrayRef(types).take_front(operands.size()));
  size_t required = operands.size();
  for (auto [parameter, index] : order) {
    given.push_back(parser.getBuilder().getStringAttr(parameter->name));
    operands.push_back(clauses.operands[index - required].second);
    ordered.push_back(types[index]);
  }
  state.name = OperationName(StdOp::getOperationName(), parser.getContext());
  auto &properties = state.getOrAddProperties<StdOp::Properties>();
  properties.composite = parser.getBuilder().getStringAttr(name);
  properties.given = parser.getBuilder().getArrayAttr(given);
  properties.options = clauses.options.getDictionary(parser.getContext());
  return failure(parser.resolveOperands(operands, ordered, place, state.operands) ||
                 failed(StdOp::inferReturnTypes(parser.getContext(), state.location, state.operands,
                                                state.attributes.getDictionary(parser.getContext()), state.getRawProperties(),
                                                state.regions, state.types)));
}

std::optional<Dialect::ParseOpHook> LatheDialect::getParseOperationHook(StringRef name) const {
  if (name.starts_with(kPrefix))
    return ParseOpHook(parseStd);
  return std::nullopt;
}

/// Rejects `lathe.std` without the name of a composite.
ParseResult StdOp::parse(OpAsmParser &parser, OperationState &state) {
  return parser.emitError(parser.getNameLoc(), "expected the name of a composite after lathe.std, as in lathe.std.softmax");
}

// ---- Printing

void StdOp::print(OpAsmPrinter &printer) {
  size_t required = getNumOperands() - getGiven().size();
  printer << '.' << getComposite() << ' ';
  printer.printOperands(getOperands().take_front(required));
  StringAttr last;
  for (auto [name, operand] : llvm::zip_equal(getGiven().getAsRange<StringAttr>(), getOperands().drop_front(required))) {
    if (name == last)
      printer << ", " << operand;
    else
      printer << ' ' << name.getValue() << ' ' << operand;
    last = name;
  }
  for (NamedAttribute option : getOptions()) {
    printer << ' ' << option.getName().getValue();
    printOption(printer << (isa<UnitAttr>(option.getValue()) ? "" : " "), option.getValue());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"composite", "given", "options"});
  printer << " : ";
  if (llvm::all_equal(getOperandTypes()))
    printer << getOperand(0).getType();
  else
    printer << getOperandTypes();
}

// ---- Inference

LogicalResult StdOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<Type> operands(adaptor.getOperands().getTypes());
  Use use{adaptor.getCompositeAttr(), adaptor.getGivenAttr(), adaptor.getOptionsAttr(), operands};
  Expansions &expansions = *context->getLoadedDialect<LatheDialect>()->expansions;
  const Expansion *expansion = expansions.get(use, location.value_or(UnknownLoc::get(context)));
  if (!expansion)
    return failure();
  types.append(expansion->results);
  return success();
}

/// Returns the optional operand with which the composite would call `callee` by its type, such as "like"; empty if there is
/// none. It has the type of the function's first result.
static StringRef operandForCall(StdOp op, StringRef option, func::FuncOp callee) {
  ScopedDiagnosticHandler silent(op.getContext(), [](Diagnostic &) { return success(); });
  const Template *source = findTemplate(op.getComposite());
  auto given = llvm::to_vector(op.getGiven().getAsRange<StringAttr>());
  if (callee.getNumResults() == 0)
    return "";
  for (const Parameter &parameter : source->parameters) {
    if (!parameter.isOperand() || !parameter.optional || llvm::is_contained(given, parameter.name))
      continue;
    auto isBehind = [&](StringAttr name) { return source->find(name) > &parameter; }; // operands are in the template's order
    size_t place = llvm::find_if(given, isBehind) - given.begin();
    SmallVector<Attribute> names(given.begin(), given.end());
    names.insert(names.begin() + place, StringAttr::get(op.getContext(), parameter.name));
    SmallVector<Type> types(op.getOperandTypes());
    types.insert(types.end() - (given.size() - place), callee.getResultTypes().front());
    Use use{op.getCompositeAttr(), ArrayAttr::get(op.getContext(), names), op.getOptionsAttr(), types};
    const Expansion *expansion =
        op.getContext()->getLoadedDialect<LatheDialect>()->expansions->get(use, UnknownLoc::get(op.getContext()));
    if (!expansion)
      continue;
    for (const auto &[name, type] : expansion->calls)
      if (name == option && equalButForNames(callee.getArgumentTypes(), type.getInputs()) &&
          equalButForNames(callee.getResultTypes(), type.getResults()))
        return parameter.name;
  }
  return "";
}

/// Checks (C4): only here are the graph's functions known.
LogicalResult StdOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Use use{getCompositeAttr(), getGivenAttr(), getOptionsAttr(), getOperandTypes()};
  const Expansion *expansion = getContext()->getLoadedDialect<LatheDialect>()->expansions->get(use, getLoc());
  if (!expansion)
    return failure();
  for (const auto &[option, type] : expansion->calls) {
    auto name = getOptions().getAs<FlatSymbolRefAttr>(option);
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, name);
    if (!callee)
      return emitError(kPrefix) << getComposite() << ": there is no function " << name;
    if (equalButForNames(callee.getArgumentTypes(), type.getInputs()) &&
        equalButForNames(callee.getResultTypes(), type.getResults()))
      continue;
    InFlightDiagnostic diagnostic = emitError(kPrefix) << getComposite() << ": " << name << " is " << callee.getFunctionType()
                                                       << ", expected " << type;
    if (StringRef operand = operandForCall(*this, option, callee); !operand.empty())
      diagnostic << "; for another result, write '" << operand << " %y' after the operands, with a value %y of its type";
    diagnostic.attachNote(callee.getLoc()) << name << " is declared here";
    return diagnostic;
  }
  return success();
}

bool StdOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) { return equalButForNames(inferred, given); }

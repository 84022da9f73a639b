// Text of branches and loops. The parser turns outer values that a region uses into consts; the printer gives the consts the
// outer names.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Syntax.h"

using namespace mlir;
using namespace lathe;

/// The number of values of a lathe.yield in `carry(...)`, kept until the enclosing loop has been parsed.
static constexpr llvm::StringLiteral kCarriesAttr = "lathe.carries";

namespace {
/// `(%a = %x : T, ...)` of one group.
struct Bindings {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SMLoc place;

  ParseResult parse(OpAsmParser &parser, StringRef keyword) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    place = parser.getCurrentLocation();
    if (parseBindings(parser, arguments, operands))
      return failure();
    types = llvm::map_to_vector(arguments, [](const OpAsmParser::Argument &argument) { return argument.type; });
    return success();
  }

  /// Resolves the operands after the regions: a name that a region defines and nothing before it is a placeholder until then.
  ParseResult resolve(OpAsmParser &parser, SmallVectorImpl<Value> &values) {
    return parser.resolveOperands(operands, types, place, values);
  }

private:
  SmallVector<Type> types; // of the operands
};
} // namespace

/// Parses `checkpoint sqrt` or `checkpoint every 16`.
static ParseResult parseCheckpoint(OpAsmParser &parser, IntegerAttr &checkpoint) {
  if (failed(parser.parseOptionalKeyword("checkpoint")))
    return success();
  int64_t steps = 0;
  if (failed(parser.parseOptionalKeyword("sqrt"))) {
    llvm::SMLoc place;
    if (parser.parseKeyword("every", ": expected 'sqrt' or 'every' with a number") || parser.getCurrentLocation(&place) ||
        parser.parseInteger(steps))
      return failure();
    if (steps < 1)
      return parser.emitError(place, "'checkpoint every' is ") << steps << ", expected a positive number of steps";
  }
  checkpoint = parser.getBuilder().getI64IntegerAttr(steps);
  return success();
}

static void printCheckpoint(OpAsmPrinter &printer, std::optional<uint64_t> checkpoint) {
  if (!checkpoint)
    return;
  printer << " checkpoint ";
  if (*checkpoint)
    printer << "every " << *checkpoint;
  else
    printer << "sqrt";
}

/// Parses a region whose yield has `carries` carries; nullopt if it has no carries.
static ParseResult parseBody(OpAsmParser &parser, Region &region, ArrayRef<OpAsmParser::Argument> arguments,
                             std::optional<size_t> carries) {
  if (parser.parseRegion(region, arguments))
    return failure();
  if (region.empty())
    region.emplaceBlock(); // refused as empty
  if (region.front().empty())
    return success();
  Operation &last = region.front().back();
  auto written = dyn_cast_or_null<IntegerAttr>(last.removeAttr(kCarriesAttr));
  if (!written || (carries && written.getInt() == int64_t(*carries)))
    return success();
  if (!carries)
    return emitError(last.getLoc(), "'lathe.yield' of a branch has no 'carry' or 'collect'; expected `lathe.yield %a : T`");
  return emitError(last.getLoc(), "'lathe.yield' has ")
         << written.getInt() << " values in 'carry', but the loop has " << *carries << (*carries == 1 ? " carry" : " carries");
}

/// Gives the regions' consts the names of the outer values.
static void shadowConsts(OpAsmPrinter &printer, Operation *control) {
  for (Region &region : control->getRegions()) {
    SmallVector<Value> names(region.getNumArguments());
    llvm::copy(constsOf(control), names.begin());
    printer.shadowRegionArgs(region, names);
  }
}

// ---- lathe.yield

ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  bool inGroups = false;
  auto parseGroup = [&](StringRef keyword) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    inGroups = true;
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
      return failure(parser.parseOperand(operands.emplace_back()) || parser.parseColonType(types.emplace_back()));
    });
  };
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parseGroup("carry"))
    return failure();
  size_t carries = operands.size();
  if (parseGroup("collect") || (!inGroups && parser.parseOperandList(operands)) ||
      (!inGroups && !operands.empty() && parser.parseColonTypeList(types)) || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (inGroups)
    state.addAttribute(kCarriesAttr, parser.getBuilder().getI64IntegerAttr(carries));
  return parser.resolveOperands(operands, types, place, state.operands);
}

void YieldOp::print(OpAsmPrinter &printer) {
  auto group = [&](StringRef keyword, ValueRange values) {
    if (values.empty())
      return;
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(values, printer, [&](Value value) { printer << value << " : " << value.getType(); });
    printer << ')';
  };
  Operation *parent = (*this)->getParentOp();
  if (parent && isLoop(parent)) {
    bool collects = isa<ScanOp>(parent);
    size_t carries = collects ? std::min<size_t>(carriesOf(parent).size(), getNumOperands()) : getNumOperands();
    group("carry", getValues().take_front(carries));
    group("collect", getValues().drop_front(carries));
  } else if (!getValues().empty()) {
    printer << ' ' << getValues() << " : " << getValues().getTypes();
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
}

// ---- lathe.if

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand predicate;
  auto truth = RankedTensorType::get({}, parser.getBuilder().getI1Type());
  Region *taken = state.addRegion(), *otherwise = state.addRegion();
  if (parser.parseOperand(predicate) || parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parseBody(parser, *taken, {}, std::nullopt) ||
      parser.parseKeyword("else") || parseBody(parser, *otherwise, {}, std::nullopt) ||
      parser.resolveOperand(predicate, truth, state.operands))
    return failure();
  state.addOperands(captureConsts({taken, otherwise}));
  return success();
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPredicate();
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  shadowConsts(printer, *this);
  printer << ' ';
  printer.printRegion(getTaken(), /*printEntryBlockArgs=*/false);
  printer << " else ";
  printer.printRegion(getOtherwise(), /*printEntryBlockArgs=*/false);
}

// ---- lathe.checkpoint

ParseResult CheckpointOp::parse(OpAsmParser &parser, OperationState &state) {
  Region *body = state.addRegion();
  if (parser.parseOptionalArrowTypeList(state.types) || parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parseBody(parser, *body, {}, std::nullopt))
    return failure();
  state.addOperands(captureConsts(body));
  return success();
}

void CheckpointOp::print(OpAsmPrinter &printer) {
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  shadowConsts(printer, *this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// ---- lathe.scan

/// Replaces the types of stacks by those of their slices.
static ParseResult toSlices(OpAsmParser &parser, Bindings &xs, int64_t dim) {
  for (auto [i, argument] : llvm::enumerate(xs.arguments)) {
    auto type = dyn_cast<RankedTensorType>(argument.type);
    if (!type || dim < 0 || dim >= type.getRank())
      return parser.emitError(xs.operands[i].location, "'dim' is ") << dim << ", " << i << " of 'over' is " << argument.type;
    argument.type = sliceOf(type, dim);
  }
  return success();
}

/// Parses `length %t : tensor<i64>`; the default type is i32.
static ParseResult parseLength(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &length, Type &type) {
  type = RankedTensorType::get({}, parser.getBuilder().getI32Type());
  if (failed(parser.parseOptionalKeyword("length")))
    return success();
  return failure(parser.parseOperand(length.emplace()) || (succeeded(parser.parseOptionalColon()) && parser.parseType(type)));
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  Bindings carry, xs;
  auto &properties = state.getOrAddProperties<Properties>();
  int64_t dim = 0;
  SmallVector<Value> length, first, stacks;
  std::optional<OpAsmParser::UnresolvedOperand> lengthOperand;
  Type lengthType;
  if (carry.parse(parser, "carry") || xs.parse(parser, "over"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("trip"))) {
    FailureOr<Dim> steps = parseDim(parser);
    if (failed(steps))
      return failure();
    properties.trip = shapeOf(parser.getContext(), *steps);
  }
  if (succeeded(parser.parseOptionalKeyword("dim")) && parser.parseInteger(dim))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = parser.getBuilder().getUnitAttr();
  properties.dim = parser.getBuilder().getI64IntegerAttr(dim);
  Region *body = state.addRegion();
  SmallVector<OpAsmParser::Argument> arguments = carry.arguments;
  if (parseLength(parser, lengthOperand, lengthType) || parseCheckpoint(parser, properties.checkpoint) ||
      parser.parseOptionalArrowTypeList(state.types) || parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      toSlices(parser, xs, dim))
    return failure();
  llvm::append_range(arguments, xs.arguments);
  if (parseBody(parser, *body, arguments, carry.operands.size()) || carry.resolve(parser, first) ||
      xs.resolve(parser, stacks) || (lengthOperand && parser.resolveOperand(*lengthOperand, lengthType, length)))
    return failure();
  SmallVector<Value> consts = captureConsts(body);
  int place = 0;
  for (ValueRange group : {ValueRange(length), ValueRange(consts), ValueRange(first), ValueRange(stacks)}) {
    state.addOperands(group);
    properties.operandSegmentSizes[place++] = group.size();
  }
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  if (!getCarry().empty()) {
    printer << " carry";
    printBindings(printer, getCarryArguments(), getCarry());
  }
  if (!getXs().empty()) {
    printer << " over";
    printBindings(printer, getSliceArguments(), getXs());
  }
  if (std::optional<ShapeAttr> trip = getTrip())
    printer << " trip " << dimsOf(*trip).front().str();
  if (getDim())
    printer << " dim " << getDim();
  if (getReverse())
    printer << " reverse";
  if (getLength())
    printer << " length " << getLength() << " : " << getLength().getType();
  printCheckpoint(printer, getCheckpoint());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"operandSegmentSizes", "trip", "dim", "reverse", "checkpoint"});
  shadowConsts(printer, *this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// ---- lathe.while

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  Bindings carry;
  auto &properties = state.getOrAddProperties<Properties>();
  SmallVector<Value> first;
  if (carry.parse(parser, "carry"))
    return failure();
  int64_t bound;
  if (succeeded(parser.parseOptionalKeyword("bound"))) {
    if (parser.parseInteger(bound))
      return failure();
    properties.bound = parser.getBuilder().getI64IntegerAttr(bound);
  }
  Region *condition = state.addRegion(), *body = state.addRegion();
  if (parseCheckpoint(parser, properties.checkpoint) || parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parseBody(parser, *condition, carry.arguments, carry.operands.size()) || parser.parseKeyword("do") ||
      parseBody(parser, *body, carry.arguments, carry.operands.size()) || carry.resolve(parser, first))
    return failure();
  SmallVector<Value> consts = captureConsts({condition, body});
  state.addOperands(consts);
  state.addOperands(first);
  properties.operandSegmentSizes = {int32_t(consts.size()), int32_t(first.size())};
  state.addTypes(ValueRange(first).getTypes());
  return success();
}

void WhileOp::print(OpAsmPrinter &printer) {
  shadowConsts(printer, *this);
  printer << " carry";
  printBindings(printer, getBody().getArguments().drop_front(getConsts().size()), getCarry());
  // Both regions use the same names for the carries.
  SmallVector<Value> names(getConsts());
  llvm::append_range(names, getBody().getArguments().drop_front(getConsts().size()));
  printer.shadowRegionArgs(getCondition(), names);
  if (getBound())
    printer << " bound " << *getBound();
  printCheckpoint(printer, getCheckpoint());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"operandSegmentSizes", "bound", "checkpoint"});
  printer << ' ';
  printer.printRegion(getCondition(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

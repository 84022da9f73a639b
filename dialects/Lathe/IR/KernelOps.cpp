// Text and verifiers of kernels and nests.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Syntax.h"

using namespace mlir;
using namespace lathe;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  auto one = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() || parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(argument.type));
  };
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, one) || parser.parseArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  return parser.resolveOperands(operands, types, place, state.operands);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ')';
  printer.printArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("block arguments must have the operands' types");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("must yield values of its result types");
  return success();
}

LogicalResult NestOp::verify() {
  Dims extents = dimsOf(getExtents());
  if (getAccesses().size() != getInputs().size())
    return emitOpError("has ") << getAccesses().size() << " accesses for " << getInputs().size() << " inputs";
  for (auto [i, attr] : llvm::enumerate(getAccesses())) {
    auto access = cast<AccessAttr>(attr);
    auto type = cast<RankedTensorType>(getInputs()[i].getType());
    if (access.getMap().getValue().getNumResults() != type.getRank() ||
        access.getMap().getValue().getNumDims() != extents.size() ||
        access.getMap().getValue().getNumSymbols() != getSymbols().size())
      return emitOpError("access ") << i << " must map " << extents.size() << " dimensions and " << getSymbols().size()
                                    << " symbols to " << type.getRank() << " indices, got " << access.getMap();
  }
  Dims result = dimsOf(getResult());
  if (result.size() > extents.size() || !std::equal(result.begin(), result.end(), extents.begin()))
    return emitOpError("the result's shape ") << str(result) << " must be the leading extents of " << str(extents);
  if ((result.size() < extents.size()) != (getReduction() != NestReduction::None))
    return emitOpError("has ") << extents.size() - result.size() << " reduction dimensions with reduction "
                               << stringifyNestReduction(getReduction());
  return success();
}

LogicalResult ApplyOp::verify() {
  auto op = RegisteredOperationName::lookup(("lathe." + getFunction()).str(), getContext());
  if (!op || !op->hasTrait<ElementaryTrait>())
    return emitOpError("knows no elementary function '") << getFunction() << "'";
  unsigned operands = op->hasTrait<OpTrait::OneOperand>() ? 1 : op->hasTrait<OpTrait::NOperands<2>::Impl>() ? 2 : 3;
  if (getNumOperands() != operands)
    return emitOpError("'") << getFunction() << "' takes " << operands << " operands, got " << getNumOperands();
  if (!isa<FloatType>(getType()) && (getFunction() != "pow" || !getType().isSignlessInteger()))
    return emitOpError("'") << getFunction() << "' is no function of " << getType();
  if (getOrder().has_value() != (getFunction() == "polygamma"))
    return emitOpError("'") << getFunction() << (getOrder() ? "' has no order" : "' needs an order");
  return success();
}

RankedTensorType lathe::scratchType(Operation *op) {
  if (isa<CholeskyOp>(op))
    return cast<RankedTensorType>(op->getOperand(0).getType());
  auto top = dyn_cast<TopKOp>(op);
  if (!isa<SortOp, ArgsortOp, TopKOp>(op) || (top && int64_t(top.getCount()) <= kMostKept))
    return {};
  // Keys and indices of a line, twice: in one word if they fit, else in one and a half.
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t words = operand.getElementTypeBitWidth() <= 32 ? 2 : 3;
  Dim elements(words);
  for (const Dim &extent : dimsOf(operand))
    elements = elements * extent;
  return tensorOf(elements, IntegerType::get(op->getContext(), 64));
}

// Text and verifiers of kernels and nests.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/ScatterMemory.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "dialects/Lathe/IR/Threefry.h"

using namespace mlir;
using namespace lathe;

/// Prints an op whose region has an argument for each input.
template <typename Op>
static void printBound(Op op, OpAsmPrinter &printer) {
  printBindings(printer, op.getBody().getArguments(), op.getInputs());
  printer.printArrowTypeList(op.getResultTypes());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

KernelOp lathe::createCopy(OpBuilder &builder, Location location, Value value, StringRef wanting) {
  OpBuilder::InsertionGuard guard(builder);
  auto kernel = KernelOp::create(builder, location, value.getType(), value);
  Block *body = builder.createBlock(&kernel.getBody());
  body->addArgument(value.getType(), location);
  Value copy = StopGradientOp::create(builder, location, body->getArgument(0)); // an identity
  YieldOp::create(builder, location, copy);
  kernel->setAttr(kCopyForAttr, builder.getStringAttr(wanting));
  return kernel;
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parseBindings(parser, arguments, operands) || parser.parseArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  return parser.resolveOperands(operands, types, place, state.operands);
}

void KernelOp::print(OpAsmPrinter &printer) { printBound(*this, printer); }

/// Refuses an attribute kSkipsAttr that code cannot obey.
static LogicalResult verifySkips(KernelOp kernel) {
  Attribute skips = kernel->getAttr(kSkipsAttr);
  if (!skips)
    return success();
  auto role = dyn_cast<StringAttr>(skips);
  std::initializer_list<StringRef> roles{kSkipsColumns, kSkipsDepth, kSkipsElements, kSkipsRows};
  if (!role || !llvm::is_contained(roles, role.getValue()))
    return kernel.emitOpError("has ") << kSkipsAttr << " = " << skips << "; expected '" << llvm::join(roles, "', '") << "'";
  auto count = kernel.getNumOperands() ? cast<RankedTensorType>(kernel.getInputs().back().getType()) : RankedTensorType();
  if (!count || count.getRank() != 0 || !count.getElementType().isInteger(32))
    return kernel.emitOpError("has ") << kSkipsAttr << "; expected a tensor<i32> as its last input, the number of keys";
  return success();
}

LogicalResult KernelOp::verify() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("block arguments must have the operands' types");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("must yield values of its result types");
  llvm::SmallDenseSet<StringRef> targets;
  for (auto schedule : getSchedules().value_or(ArrayAttr::get(getContext(), {})).getAsRange<ScheduleAttr>())
    if (!targets.insert(schedule.getTarget()).second)
      return emitOpError("has two schedules for the target '") << schedule.getTarget() << "'";
  return verifySkips(*this);
}

// ---- Strips

/// Returns the type of an input in the region; null if its leading dimensions are not those of `places`.
static RankedTensorType typeInStrip(RankedTensorType type, ArrayRef<int64_t> places, const Dims &extents, StringRef rows) {
  Dims dims = dimsOf(type), inStrip;
  if (places.size() > dims.size() || !llvm::is_sorted(places))
    return {};
  for (auto [i, place] : llvm::enumerate(places)) {
    if (place < 0 || place >= int64_t(extents.size()) || dims[i] != extents[place] || (i && place == places[i - 1]))
      return {};
    if (place + 1 == int64_t(extents.size()))
      inStrip.push_back(Dim::named(rows));
  }
  inStrip.append(dims.begin() + places.size(), dims.end());
  return tensorOf(inStrip, type.getElementType());
}

ArrayRef<int64_t> StripsOp::getPlacesOf(unsigned input) { return cast<DenseI64ArrayAttr>(getPlaces()[input]).asArrayRef(); }

ParseResult StripsOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parseBindings(parser, arguments, operands) || parser.parseArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  auto extents = dyn_cast_or_null<ShapeAttr>(state.attributes.get("extents"));
  auto places = dyn_cast_or_null<ArrayAttr>(state.attributes.get("places"));
  auto rows = dyn_cast_or_null<StringAttr>(state.attributes.get("rows"));
  if (!extents || !places || !rows || places.size() != arguments.size())
    return parser.emitError(place, "expected the attributes extents, rows and places, with a list for each of ")
           << arguments.size() << " inputs";
  for (auto [argument, list] : llvm::zip_equal(arguments, places)) {
    types.push_back(argument.type);
    auto type = dyn_cast<RankedTensorType>(argument.type);
    auto numbers = dyn_cast<DenseI64ArrayAttr>(list);
    argument.type = type && numbers ? typeInStrip(type, numbers.asArrayRef(), dimsOf(extents), rows.getValue()) : Type();
    if (!argument.type)
      return parser.emitError(place, "the leading dimensions of ") << types.back() << " are not those of " << list;
  }
  return failure(parser.parseRegion(*state.addRegion(), arguments) ||
                 parser.resolveOperands(operands, types, place, state.operands));
}

void StripsOp::print(OpAsmPrinter &printer) { printBound(*this, printer); }

LogicalResult StripsOp::verify() {
  Dims extents = dimsOf(getExtents());
  if (getPlaces().size() != getInputs().size() || !llvm::all_of(getPlaces(), llvm::IsaPred<DenseI64ArrayAttr>))
    return emitOpError("needs a list of places for each of ") << getInputs().size() << " inputs";
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    RankedTensorType type = typeInStrip(cast<RankedTensorType>(input.getType()), getPlacesOf(i), extents, getRows());
    if (!type || i >= getBody().getNumArguments() || getBody().getArgument(i).getType() != type)
      return emitOpError("input ") << i << " has the type " << input.getType() << ", which does not fit its places";
  }
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getNumOperands() != getNumResults())
    return emitOpError("must yield a value for each of ") << getNumResults() << " results";
  for (auto [result, yielded] : llvm::zip_equal(getResults(), yield.getOperands())) {
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, extents.size()));
    if (typeInStrip(cast<RankedTensorType>(result.getType()), places, extents, getRows()) != yielded.getType())
      return emitOpError("yields ") << yielded.getType() << " for a result of the type " << result.getType();
  }
  for (Operation &op : getBody().front().without_terminator())
    if (!isa<KernelOp>(op))
      return emitOpError("consists of kernels, got ") << op.getName();
  return getHeight() > 0 ? success() : emitOpError("needs a positive height, got ") << int64_t(getHeight());
}

// ---- Nests

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

/// True for a word of threefry2x32.
static bool isThreefry(ApplyOp op) { return op.getFunction() == kThreefry || op.getFunction() == kThreefrySecond; }

LogicalResult ApplyOp::verify() {
  if (isThreefry(*this)) {
    if (getNumOperands() != 4 || !getType().isInteger(32) || getOrder())
      return emitOpError("'") << getFunction() << "' takes four words of i32";
    return success();
  }
  auto op = RegisteredOperationName::lookup(("lathe." + getFunction()).str(), getContext());
  if (!op || !op->hasTrait<ElementaryTrait>())
    return emitOpError("has an unknown elementary function '") << getFunction() << "'";
  unsigned operands = op->hasTrait<OpTrait::OneOperand>() ? 1 : op->hasTrait<OpTrait::NOperands<2>::Impl>() ? 2 : 3;
  if (getNumOperands() != operands)
    return emitOpError("'") << getFunction() << "' takes " << operands << " operands, got " << getNumOperands();
  if (!isa<FloatType>(getType()) && (getFunction() != "pow" || !getType().isSignlessInteger()))
    return emitOpError("'") << getFunction() << "' is not a function of " << getType();
  if (getOrder().has_value() != (getFunction() == "polygamma"))
    return emitOpError("'") << getFunction() << (getOrder() ? "' has no order" : "' needs an order");
  return success();
}

ExternOp lathe::externOf(KernelOp kernel) {
  auto ops = kernel.getBody().getOps<ExternOp>();
  return ops.empty() ? ExternOp() : *ops.begin();
}

CollectiveOpInterface lathe::collectiveOf(KernelOp kernel) {
  auto ops = kernel.getBody().getOps<CollectiveOpInterface>();
  return ops.empty() ? CollectiveOpInterface() : *ops.begin();
}

CollectiveWaitOp lathe::waitOf(KernelOp kernel) { return dyn_cast<CollectiveWaitOp>(kernel.getBody().front().front()); }

Operation *lathe::reportOf(KernelOp kernel) {
  Operation &first = kernel.getBody().front().front();
  return isReport(&first) ? &first : nullptr;
}

bool lathe::isCompiled(KernelOp kernel) {
  return !externOf(kernel) && !collectiveOf(kernel) && !waitOf(kernel) && !reportOf(kernel);
}

bool lathe::isOnDevice(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kOnDeviceAttr);
}

DenseI64ArrayAttr lathe::sizedUnitsOf(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    auto units = op->getAttr(kSizedUnitsAttr);
    if (auto each = dyn_cast_or_null<ArrayAttr>(units); each && isControl(op))
      return cast<DenseI64ArrayAttr>(each[cast<OpResult>(value).getResultNumber()]);
    return dyn_cast_or_null<DenseI64ArrayAttr>(units);
  }
  auto argument = cast<BlockArgument>(value);
  if (Value operand = operandOf(argument)) {
    auto units = sizedUnitsOf(operand);
    auto scan = dyn_cast<ScanOp>(argument.getOwner()->getParentOp());
    if (!units || !scan || argument.getArgNumber() < scan.getConsts().size() + scan.getCarry().size())
      return units;
    SmallVector<int64_t> ofSlice; // it lacks the first dimension
    for (int64_t dim : units.asArrayRef())
      if (dim > 0)
        ofSlice.push_back(dim - 1);
    return DenseI64ArrayAttr::get(value.getContext(), ofSlice);
  }
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function ? function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), kSizedUnitsAttr) : nullptr;
}

RankedTensorType lathe::scratchType(Operation *op) {
  if (isa<CholeskyOp>(op))
    return cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto scatter = dyn_cast<ScatterOp>(op); scatter && !isOnDevice(op) && ScatterMemory::isFor(scatter))
    return tensorOf(ScatterMemory(scatter).words(), IntegerType::get(op->getContext(), 64));
  auto top = dyn_cast<TopKOp>(op);
  if (!isa<SortOp, ArgsortOp, TopKOp>(op) || (top && top.getCountDim().constant() <= kMostKept))
    return {};
  // Two buffers for keys and indices of a line: in one word if they fit, else in one and a half.
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t words = operand.getElementTypeBitWidth() <= 32 ? 2 : 3;
  return tensorOf(Dim(words) * productOf(dimsOf(operand)), IntegerType::get(op->getContext(), 64));
}

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "lib/Support/Text.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace lathe;

// ---- Signatures

ExternSignature lathe::gradientOf(const ExternSignature &function, StringRef gradient) {
  ExternSignature signature{gradient.str(), function.inputs, floatsOf(function.inputs)};
  llvm::append_range(signature.inputs, function.outputs);
  llvm::append_range(signature.inputs, floatsOf(function.outputs));
  return signature;
}

static ExternSignature tangentOf(const ExternSignature &function, StringRef tangent) {
  ExternSignature signature{tangent.str(), function.inputs, floatsOf(function.outputs)};
  llvm::append_range(signature.inputs, function.outputs);
  llvm::append_range(signature.inputs, floatsOf(function.inputs));
  return signature;
}

static ExternSignature batchOf(const ExternSignature &function, StringRef batched) {
  ExternSignature signature = function;
  signature.symbol = batched.str();
  for (auto *types : {&signature.inputs, &signature.outputs})
    for (Type &type : *types) {
      Dims dims = dimsOf(cast<RankedTensorType>(type));
      dims.insert(dims.begin(), Dim(1)); // of any size
      type = tensorOf(dims, cast<RankedTensorType>(type).getElementType());
    }
  return signature;
}

ExternSignature lathe::signatureOf(ExternOp op) {
  return {op.getCallee().str(), SmallVector<Type>(op.getInputs().getTypes()), SmallVector<Type>(op.getResultTypes())};
}

/// Returns the signatures of all functions that the op names, starting with its callee.
static SmallVector<ExternSignature> signaturesOf(ExternOp op) {
  SmallVector<ExternSignature> all = {signatureOf(op)};
  if (auto batched = op.getBatched())
    all.push_back(batchOf(all.front(), *batched));
  if (auto tangent = op.getTangent())
    all.push_back(tangentOf(all.front(), *tangent));
  ExternSignature last = all.front();
  for (auto gradient : op.getGradientAttr() ? op.getGradientAttr().getAsRange<FlatSymbolRefAttr>()
                                            : ArrayAttr::get(op.getContext(), {}).getAsRange<FlatSymbolRefAttr>())
    all.push_back(last = gradientOf(last, gradient.getValue()));
  return all;
}

std::string ExternSignature::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto list = [&](ArrayRef<Type> types) {
    out << '(';
    llvm::interleaveComma(types, out, [&](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      out << tensor.getElementType() << " of rank " << tensor.getRank();
    });
    out << ')';
  };
  list(inputs);
  out << " -> ";
  list(outputs);
  return text;
}

// ---- lathe.extern

static LogicalResult checkSymbol(std::optional<Location> location, StringRef symbol) {
  if (toCIdentifier(symbol) != symbol || isCKeyword(symbol))
    return emitOptionalError(location, "lathe.extern: @", symbol, " is not a valid name for a C or C++ function");
  bool isTaken = symbol.starts_with("lathe_") || llvm::is_contained({"memcpy", "memmove", "memset", "memcmp", "main"}, symbol);
  return isTaken ? emitOptionalError(location, "lathe.extern: @", symbol,
                                     " is reserved for Lathe (lathe_...) or for the C library; wrap it in a function "
                                     "with another name")
                 : success();
}

/// Returns the declared result types, with each `?` replaced in order by `dims`.
static LogicalResult inferResults(std::optional<Location> location, ArrayAttr declared, ShapeAttr given,
                                  SmallVectorImpl<Type> &types) {
  Dims names = dimsOf(given);
  size_t next = 0;
  for (auto [i, type] : llvm::enumerate(declared.getAsValueRange<TypeAttr>())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isElementType(tensor.getElementType()))
      return emitOptionalError(location, "lathe.extern: result ", i, " has type ", type, "; expected a ranked tensor of ",
                               kElementTypes);
    Dims dims;
    for (int64_t extent : tensor.getShape()) {
      bool isSaid = ShapedType::isDynamic(extent) && next < names.size();
      dims.push_back(!ShapedType::isDynamic(extent) ? Dim(extent) : isSaid ? names[next] : Dim::unknown());
      next += ShapedType::isDynamic(extent);
    }
    types.push_back(tensorOf(dims, tensor.getElementType()));
  }
  if (next != names.size())
    return emitOptionalError(location, "lathe.extern: results have ", next, " '?' dimensions, but 'dims' lists ", names.size(),
                             "; list one for each '?', in order: dims [N, 2 * M]");
  return success();
}

LogicalResult ExternOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  SmallVector<StringRef> symbols = {adaptor.getCallee()};
  for (std::optional<StringRef> symbol : {adaptor.getBatched(), adaptor.getTangent()})
    if (symbol)
      symbols.push_back(*symbol);
  if (ArrayAttr gradient = adaptor.getGradientAttr(); gradient && gradient.empty())
    return emitOptionalError(location, "lathe.extern: 'gradient' is an empty list; list the gradient function, then "
                                       "the functions for its own gradients, or remove 'gradient'");
  if (ArrayAttr gradient = adaptor.getGradientAttr())
    for (auto symbol : gradient.getAsRange<FlatSymbolRefAttr>())
      symbols.push_back(symbol.getValue());
  for (StringRef symbol : symbols)
    if (failed(checkSymbol(location, symbol)))
      return failure();
  size_t count = adaptor.getInputs().size() + adaptor.getTypes().size();
  if (adaptor.getTypes().empty() || count > kMostExternTensors)
    return emitOptionalError(location, "lathe.extern: there are ", adaptor.getInputs().size(), " operands and ",
                             adaptor.getTypes().size(), " results; expected at least one result, and at most ",
                             kMostExternTensors, " operands and results in total");
  if (failed(inferResults(location, adaptor.getTypes(), adaptor.getDims(), types)))
    return failure();
  bool isDifferentiable = llvm::any_of(adaptor.getInputs().getTypes(), isFloatTensor) && llvm::any_of(types, isFloatTensor);
  if ((adaptor.getTangent() || adaptor.getGradientAttr()) && !isDifferentiable)
    return emitOptionalError(location, "lathe.extern: @", adaptor.getCallee(),
                             " declares a derivative, but it has no float operand or no float result");
  return success();
}

/// Returns the type without names, with the same `?`.
static RankedTensorType declaredType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

ExternOp lathe::callExtern(OpBuilder &builder, Location location, FlatSymbolRefAttr callee, ValueRange inputs,
                           TypeRange results, ArrayAttr gradient) {
  Dims names;
  for (Type type : results)
    for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
      if (!dim.isStatic())
        names.push_back(dim);
  auto declared = llvm::map_to_vector(results, [](Type type) -> Type { return declaredType(type); });
  return ExternOp::create(builder, location, callee, inputs, builder.getTypeArrayAttr(declared),
                          shapeOf(builder.getContext(), names), FlatSymbolRefAttr(), FlatSymbolRefAttr(), gradient);
}

/// Parses `@symbol(%a, %b) dims [N] batched @b tangent @t gradient [@g] {attributes} : (T, U) -> V`. The results' types have
/// names once import has inferred them.
ParseResult ExternOp::parse(OpAsmParser &parser, OperationState &state) {
  SymbolRefAttr callee;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  ShapeAttr dims = shapeOf(parser.getContext(), {});
  NamedAttrList attributes;
  FunctionType type;
  auto parseClause = [&](StringRef name, Attribute &attribute) -> ParseResult {
    return failed(parser.parseOptionalKeyword(name)) ? ParseResult(success()) : parser.parseAttribute(attribute);
  };
  Attribute batched, tangent, gradient;
  llvm::SMLoc start = parser.getNameLoc(), place;
  if (parser.parseAttribute(callee) || parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      (succeeded(parser.parseOptionalKeyword("dims")) && parseShape(parser, dims)) || parseClause("batched", batched) ||
      parseClause("tangent", tangent) || parseClause("gradient", gradient) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColon() || parser.getCurrentLocation(&place) || parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  attributes.set("callee", callee);
  attributes.set("dims", dims);
  for (Type result : type.getResults())
    if (!isa<RankedTensorType>(result))
      return parser.emitError(place, "a result has type ") << result << "; expected a ranked tensor";
  attributes.set("types", parser.getBuilder().getTypeArrayAttr(
                              llvm::map_to_vector(type.getResults(), [](Type one) -> Type { return declaredType(one); })));
  for (auto [name, attribute] : {std::pair("batched", batched), {"tangent", tangent}, {"gradient", gradient}})
    if (attribute)
      attributes.set(name, attribute);
  SmallVector<Type> inferred;
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(setPropertiesFromAttr(properties, attributes.getDictionary(parser.getContext()),
                                   [&] { return parser.emitError(start); })) ||
      failed(inferReturnTypes(parser.getContext(), state.location, state.operands,
                              state.attributes.getDictionary(parser.getContext()), state.getRawProperties(), state.regions,
                              inferred)))
    return failure();
  for (auto [result, written] : llvm::zip_equal(inferred, type.getResults()))
    state.addTypes(cast<RankedTensorType>(written).getEncoding() ? result : declaredType(result));
  return success();
}

void ExternOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCalleeAttr() << '(' << getInputs() << ')';
  Dims names = dimsOf(getDims());
  if (!names.empty())
    printer << " dims " << str(names);
  for (auto [name, attribute] : {std::pair<StringRef, Attribute>("batched", getBatchedAttr()),
                                 {"tangent", getTangentAttr()},
                                 {"gradient", getGradientAttr()}})
    if (attribute)
      printer << ' ' << name << ' ' << attribute;
  printer.printOptionalAttrDict((*this)->getAttrs(), {"callee", "types", "dims", "batched", "tangent", "gradient"});
  // A name that has become a number is still a `?` of the declared type.
  SmallVector<Type> types;
  ArrayRef<Dim> rest = names;
  for (auto [declared, result] : llvm::zip_equal(getTypes().getAsValueRange<TypeAttr>(), getResults())) {
    auto tensor = cast<RankedTensorType>(declared);
    size_t count = tensor.getNumDynamicDims();
    auto own = llvm::map_to_vector(rest.take_front(count), [&](const Dim &dim) { return dim.toAttr(getContext()); });
    rest = rest.drop_front(count);
    bool isNamed = bool(cast<RankedTensorType>(result.getType()).getEncoding());
    types.push_back(
        isNamed ? RankedTensorType::get(tensor.getShape(), tensor.getElementType(), DimsAttr::get(getContext(), own)) : tensor);
  }
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(), types);
}

LogicalResult ExternOp::verifySymbolUses(SymbolTableCollection &) {
  auto module = (*this)->getParentOfType<ModuleOp>();
  SmallVector<ExternSignature> own = signaturesOf(*this);
  for (const ExternSignature &signature : own)
    if (Operation *other = SymbolTable::lookupSymbolIn(module, signature.symbol)) {
      InFlightDiagnostic diagnostic = emitError("lathe.extern: @")
                                      << signature.symbol << " is a symbol of the graph; a function of the graph is called "
                                      << "with func.call, a C function needs a name of its own";
      diagnostic.attachNote(other->getLoc()) << "@" << signature.symbol << " is declared here";
      return diagnostic;
    }
  // Each pair is compared once, by the later op.
  LogicalResult result = success();
  module.walk([&](ExternOp op) {
    for (const ExternSignature &other : signaturesOf(op))
      for (const ExternSignature &signature : own)
        if (succeeded(result) && other.symbol == signature.symbol && other.str() != signature.str()) {
          InFlightDiagnostic diagnostic = emitError("lathe.extern: @")
                                          << signature.symbol << " is " << signature.str() << " here, elsewhere " << other.str()
                                          << "; a C function has one signature";
          diagnostic.attachNote(op.getLoc()) << "the other declaration is here";
          result = diagnostic;
        }
    return op == *this ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result;
}

// ---- lathe.extern_tangent

LogicalResult ExternTangentOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  SmallVector<Type> expected = floatsOf(adaptor.getInputs().getTypes());
  if (SmallVector<Type>(adaptor.getTangents().getTypes()) != expected)
    return emitOptionalError(location, "lathe.extern_tangent: expected a tangent of its type for each of the ", expected.size(),
                             " float inputs, got ", adaptor.getTangents().size());
  types = floatsOf(adaptor.getOutputs().getTypes());
  return success();
}

#include "lib/Import/ONNX/Model.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Emit/PlainTypes.h"
#include "lib/Import/ONNX/ConstantValues.h"
#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Support/SourcePlace.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// The last opset whose operators the converters know; each converter declares the first.
static constexpr int64_t kNewestOpset = 28;

Model::Model(onnx::ModelProto &proto, std::shared_ptr<llvm::MemoryBuffer> mapped, std::string file, MLIRContext *context,
             const OnnxOptions &options, const std::set<std::string> &fixed, SharedNames &shared)
    : proto(proto), files(llvm::sys::path::parent_path(file).str(), std::move(mapped), options.filesRead),
      file(std::move(file)), builder(context), sizes(options.sizes), formulas(options.formulas), broadcasts(options.broadcasts),
      maxSteps(options.maxSteps), constants(options.constants), declared(options.declared), given(options.given),
      shared(shared), weightsLeft(options.externWeights ? kMostExternWeights : kMostEmbeddedWeights),
      namesValues(options.nameValues), options(options), fixed(fixed), fields(options.externWeights) {
  for (const std::string &pattern : options.stateInitializers)
    if (llvm::Expected<llvm::GlobPattern> made = llvm::GlobPattern::create(pattern))
      states.push_back(std::move(*made));
    else
      llvm::consumeError(made.takeError()); // the command line has been checked
  matches.resize(states.size());
}

Model::~Model() = default;

Location Model::location(int line) { return FileLineColLoc::get(builder.getContext(), file, line, line ? 1 : 0); }

LogicalResult Model::refuse(const Twine &text) { return emitError(location()) << text; }

Dim Model::dimensionOf(const onnx::TensorShapeProto::Dimension &dimension, StringRef input, int index) {
  std::string place = (input + "." + Twine(index)).str();
  if (dimension.has_dim_value() && dimension.dim_value() > 0) {
    if (auto size = sizes.find(place); size != sizes.end() && size->second == dimension.dim_value())
      used.insert(*size);
    numbers[place] = dimension.dim_value();
    return Dim(dimension.dim_value());
  }
  bool isNamed = hasName(dimension);
  SharedNames::Place own{input.str(), index};
  bool isOwn = !isNamed;
  if (isNamed)
    if (std::optional<SharedNames::Place> apart = shared.ownPlace(dimension.dim_param(), own)) {
      own = *apart;
      isOwn = true;
    }
  std::string name = isOwn ? own.input + "_dim" + std::to_string(own.index) : dimension.dim_param();
  std::string &identifier = (isOwn ? ownDimNames : dimNames)[name];
  if (identifier.empty())
    identifier = fieldName(name, "_");
  // --dim accepts the name in the header, and the model's name in both spellings.
  SmallVector<std::string> spellings{identifier};
  if (isNamed)
    spellings.append({dimension.dim_param(), dimNames.lookup(dimension.dim_param())});
  spellings.push_back(place);
  for (const std::string &spelled : spellings)
    if (auto broadcast = broadcasts.find(spelled); broadcast != broadcasts.end()) {
      usedBroadcasts.insert(*broadcast);
      wideSizes.declare(Dim::named(identifier), inOwnNames(dimFromText(broadcast->second)));
    }
  for (const std::string &spelled : spellings)
    if (std::optional<Dim> fixed = fixedDim(spelled))
      return *fixed;
  if (isNamed)
    shared.note(dimension.dim_param(), own, identifier);
  wideSizes.add(identifier, isNamed ? dimension.dim_param() : "");
  return Dim::named(identifier);
}

void Model::takeNames(const onnx::ValueInfoProto &input) {
  for (auto [i, dimension] : llvm::enumerate(input.type().tensor_type().shape().dim())) {
    std::string place = input.name() + "." + std::to_string(i);
    if (hasName(dimension) && !sizes.contains(place) && !formulas.contains(place) &&
        !shared.ownPlace(dimension.dim_param(), {input.name(), int64_t(i)}))
      (void)dimensionOf(dimension, input.name(), i);
  }
}

std::optional<Dim> Model::fixedDim(const std::string &spelled) {
  if (auto size = sizes.find(spelled); size != sizes.end()) {
    used[spelled] = size->second;
    return Dim(size->second);
  }
  if (auto formula = formulas.find(spelled); formula != formulas.end()) {
    usedFormulas.insert(*formula);
    return inOwnNames(dimFromText(formula->second));
  }
  return std::nullopt;
}

/// Returns an expression from an option in the names that dimensions have here, or with the sizes that options give.
Dim Model::inOwnNames(const Dim &dim) {
  std::map<std::string, Dim> values;
  for (const std::string &name : namesIn(dim)) {
    std::string &identifier = dimNames[name];
    if (identifier.empty())
      identifier = fieldName(name, "_");
    auto size = sizes.find(name);
    values[name] = size == sizes.end() ? Dim::named(identifier) : Dim(used[name] = size->second);
  }
  return dim.substitute(values);
}

LogicalResult Model::checkSizes() {
  std::vector<std::string> names;
  for (const auto *map : {&dimNames, &ownDimNames})
    names.insert(names.end(), map->keys().begin(), map->keys().end());
  std::vector<std::string> unused;
  for (const auto &[name, size] : sizes)
    if (!used.contains(name))
      unused.push_back(name);
  for (const auto &[name, formula] : formulas)
    if (!usedFormulas.contains(name))
      unused.push_back(name);
  for (const auto &[name, other] : broadcasts)
    if (!usedBroadcasts.contains(name))
      unused.push_back(name);
  for (const std::string &name : unused)
    if (auto number = numbers.find(name); number != numbers.end())
      emitError(optionPlace("--dim", location())) << "dimension '" << name << "' is " << number->second << " in the model";
    else
      emitError(optionPlace("--dim", location()))
          << "there is no dimension '" << name << "'" << (names.empty() ? "" : "; there are " + llvm::join(names, ", "));
  return success(unused.empty());
}

/// Returns a quotient that may be negative, so that no tensor has it as its size.
Value Model::signedQuotient(const DerivedDim &quotient, Location location) {
  bool isCeiling = quotient.kind == DerivedDim::CeilDiv; // the floor of the negated dividend, negated
  Dim dividend = isCeiling ? Dim(0) - quotient.operands[0] : quotient.operands[0];
  Value x = sizeOf(dividend, location);
  Value by = sizeOf(quotient.hasSizeAsDivisor() ? quotient.operands[1] : Dim(quotient.divisor), location);
  if (!x || !by)
    return {};
  Value floor = FloorDivOp::create(builder, location, x, by);
  return isCeiling ? NegOp::create(builder, location, floor) : floor;
}

/// Returns the size of a name, or of a formula of names. It is created at the beginning of the function, so that graphs inside
/// nodes can use it. If no input has this dimension, it is read from a tensor that is never stored.
Value Model::sizeOfName(const std::string &name, Location location) {
  if (auto source = dimSources.find(name); source != dimSources.end())
    return DimSizeOp::create(builder, location, source->second.first, source->second.second);
  bool isInOption =
      llvm::any_of(usedFormulas, [&](auto &formula) { return llvm::is_contained(namesIn(dimFromText(formula.second)), name); });
  std::optional<DerivedDim> derived = derivedDim(name);
  if (!derived && !isInOption)
    return {};
  if (derived && DerivedDim::isQuotient(derived->kind) && leastOf(Dim::named(name), anySize) < 0)
    return signedQuotient(*derived, location);
  Value zero = emitScalar(builder, location, builder.getF32FloatAttr(0));
  Value any = BroadcastOp::create(builder, location, zero, builder.getDenseI64ArrayAttr({}),
                                  shapeOf(builder.getContext(), Dim::named(name)));
  return DimSizeOp::create(builder, location, any, 0);
}

Dim Model::mostOf(const Dim &dim) const {
  Dim most = dim; // a bound contains at most earlier names
  for (bool changes = true; changes && !most.isUnknown();) {
    Dim next = most.substitute(dataDims);
    changes = next != most;
    most = next;
  }
  return most;
}

Value Model::sizeOf(const Dim &dim, Location location) {
  OpBuilder::InsertionGuard guard(builder);
  bool isInside = llvm::any_of(namesIn(dim), [&](const std::string &name) { // data in a branch or loop decides it
    auto source = dimSources.find(name);
    return source != dimSources.end() && source->second.first.getParentBlock() != &function.getBody().front();
  });
  if (!isInside)
    builder.setInsertionPointToEnd(&function.getBody().front());
  auto constant = [&](int64_t value) { return emitScalar(builder, location, builder.getI64IntegerAttr(value)); };
  Value sum;
  for (const auto &[names, coefficient] : dim.getTerms()) {
    Value term = names.empty() || coefficient != 1 ? constant(coefficient) : Value();
    for (const std::string &name : names) {
      Value size = sizeOfName(name, location);
      if (!size)
        return {};
      term = term ? MulOp::create(builder, location, term, size) : size;
    }
    sum = sum ? AddOp::create(builder, location, sum, term) : term;
  }
  return sum ? sum : constant(0);
}

onnx::GraphProto *Model::addCopy(size_t bytes) {
  copiedBytes += bytes;
  if (copies.SpaceAllocated() + copiedBytes > kMostCopied)
    return nullptr;
  return google::protobuf::Arena::CreateMessage<onnx::GraphProto>(&copies);
}

// ---- What the model declares

int64_t onnximport::opsetOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports) {
  int64_t opset = 0;
  for (const auto &import : imports)
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = opset && opset != import.version() ? -1 : import.version();
  return opset;
}

FailureOr<int64_t> Model::readOpset() {
  int64_t opset = opsetOf(proto.opset_import());
  if (opset < 0)
    return refuse("the model imports several opsets of ai.onnx");
  if (opset > kNewestOpset)
    return refuse("the model uses opset " + Twine(opset) + " of ai.onnx, expected up to " + Twine(kNewestOpset) +
                  "; convert the model with onnx.version_converter");
  return opset;
}

/// Returns the name that identifies a function, for its definition or a call. Older schemas have no overloads.
template <typename Proto>
static std::string functionName(const Proto &proto, StringRef name) {
  std::string overload;
  if constexpr (requires { proto.overload(); })
    overload = proto.overload();
  return (proto.domain() == "ai.onnx" ? "" : proto.domain()) + ":" + name.str() + ":" + overload;
}

LogicalResult Model::readFunctions() {
  for (const onnx::FunctionProto &function : proto.functions()) {
    std::string name = functionName(function, function.name());
    if (!functions.try_emplace(name, &function).second)
      return refuse("two functions have the name '" + function.name() + "'");
  }
  return success();
}

const onnx::FunctionProto *Model::functionOf(const onnx::NodeProto &node) const {
  return functions.lookup(functionName(node, node.op_type()));
}

/// Sets the function's type and the names of its arguments, their dimensions and its results. All attributes are set at once,
/// since the context keeps each list of them, like types.
void Model::describeFunction(ValueRange outputs) {
  TypeRange arguments = function.getBody().front().getArgumentTypes();
  function.setFunctionType(builder.getFunctionType(arguments, outputs.getTypes()));
  SmallVector<DictionaryAttr> ofArguments, ofResults;
  for (auto [name, type] : llvm::zip_equal(argumentNames, arguments)) {
    NamedAttrList attributes;
    attributes.set(kNameAttr, builder.getStringAttr(name));
    if (auto dims = dyn_cast_or_null<DimsAttr>(cast<RankedTensorType>(type).getEncoding()))
      attributes.set(kDimsAttr, dims);
    ofArguments.push_back(attributes.getDictionary(builder.getContext()));
  }
  for (const auto &output : proto.graph().output())
    ofResults.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttr, builder.getStringAttr(fieldName(output.name(), "_out", "out")))));
  function.setAllArgAttrs(ofArguments);
  function.setAllResultAttrs(ofResults);
}

OwningOpRef<ModuleOp> Model::import() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location());
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, location(), "run", builder.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  FailureOr<int64_t> opset = readOpset();
  if (failed(opset) || failed(readFunctions()))
    return nullptr;
  Graph graph(*this, *proto.mutable_graph(), *opset, block);
  FailureOr<SmallVector<Value>> outputs = graph.importWhole();
  inlined.clear();
  if (failed(outputs) || failed(checkStates()))
    return nullptr;
  func::ReturnOp::create(builder, location(), *outputs);
  if (leavesUnread)
    eraseUnread(*block);
  hasJoined = shared.hasApart() && shared.joinEqual(*module);
  describeFunction(*outputs);
  stripNames(function);
  if (!used.empty() || !usedFormulas.empty()) {
    SmallVector<NamedAttribute> fixed;
    for (const auto &[name, formula] : usedFormulas)
      fixed.push_back(builder.getNamedAttr(name, builder.getStringAttr(formula)));
    for (const auto &[name, size] : used)
      fixed.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
    module->getOperation()->setAttr(kFixedAttr, builder.getDictionaryAttr(fixed));
  }
  return module;
}

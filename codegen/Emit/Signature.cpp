#include "codegen/Emit/Signature.h"
#include "codegen/Emit/WeightsFile.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Support/Text.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe;

std::optional<RequiredExtent::Bound> RequiredExtent::bound() const {
  Dim varying = extent - Dim(extent.constant());
  if (equal || varying.getTerms().size() != 1)
    return std::nullopt;
  auto &[names, coefficient] = *varying.getTerms().begin();
  if (names.size() != 1 || derivedDim(names.front()))
    return std::nullopt;
  // constant + coefficient * name >= 0
  bool isMost = coefficient < 0;
  int64_t value = isMost ? llvm::divideFloorSigned(extent.constant(), -coefficient)
                         : llvm::divideCeilSigned(-extent.constant(), coefficient);
  return Bound{names.front(), isMost, value};
}

std::string RequiredExtent::str() const {
  if (std::optional<Bound> only = bound())
    return only->name + (only->isMost ? " <= " : " >= ") + std::to_string(only->value);
  auto [left, right] = sides();
  return equal ? equalityText(left, right) : left.str() + " >= " + right.str();
}

std::pair<Dim, Dim> RequiredExtent::sides() const { return equal ? *equal : sidesOf(extent); }

std::string lathe::levelSuffixOf(const VectorTarget &target) {
  std::string suffix = "_" + target.name();
  std::replace(suffix.begin(), suffix.end(), '-', '_');
  return suffix;
}

Dim ArgumentField::bytes() const { return Dim(elementBytes()) * productOf(dims); }

std::string lathe::elementText(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

StringRef lathe::elementCType(Type element) {
  switch (*elementOf(element)) {
  case Element::F64:
    return "double";
  case Element::F32:
    return "float";
  case Element::F16: // C99 has no half type: these are their bits
  case Element::BF16:
  case Element::U16:
    return "uint16_t";
  case Element::I1:
  case Element::U8:
    return "uint8_t";
  case Element::U32:
    return "uint32_t";
  case Element::U64:
    return "uint64_t";
  case Element::I8:
    return "int8_t";
  case Element::I16:
    return "int16_t";
  case Element::I32:
    return "int32_t";
  case Element::I64:
    return "int64_t";
  }
  llvm_unreachable("all element types are above");
}

std::string lathe::typeText(Type element, ArrayRef<Dim> dims) {
  std::string text = nameOf(*elementOf(element)).str();
  for (const Dim &dim : dims)
    text += "[" + dim.str() + "]";
  return text;
}

namespace {
class Describer {
public:
  Describer(ModuleOp module, ModuleSignature &out, bool threads, const WeightsFile *weights)
      : module(module), out(out), threads(threads), weights(weights) {}

  LogicalResult run(ArrayRef<std::string> entries) {
    if (failed(describeState()))
      return failure();
    bool good = true;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isPrivate() || (!entries.empty() && !llvm::is_contained(entries, function.getSymName().str())))
        continue;
      good &= succeeded(describe(function));
    }
    if (!good)
      return failure();
    if (out.functions.empty())
      return module.emitError("nothing to compile: the graph has no public function");
    return describeExterns();
  }

private:
  /// Describes the application's functions that exported functions call; their versions call the same ones.
  LogicalResult describeExterns() {
    LogicalResult result = success();
    for (const Signature &entry : out.functions)
      module.lookupSymbol<func::FuncOp>(entry.name).walk([&](ExternOp op) {
        ExternFunction function{signatureOf(op), sourcePlace(op.getLoc())};
        const std::string &symbol = function.signature.symbol;
        if (llvm::any_of(out.externs, [&](const ExternFunction &known) { return known.signature.symbol == symbol; }))
          return;
        if (StringRef(symbol).starts_with(out.prefix + "_"))
          result = op.emitError("lathe.extern: @") << symbol << " starts like the object's own symbols, " << out.prefix
                                                   << "_...; rename it, or compile with --name";
        out.externs.push_back(std::move(function));
      });
    return result;
  }

  LogicalResult describeState() {
    llvm::StringMap<VariableOp> taken;
    for (auto variable : module.getOps<VariableOp>()) {
      auto type = cast<RankedTensorType>(variable.getType());
      uint64_t size = type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
      std::string symbol = toCIdentifier(variable.getSymName());
      if (auto [other, isNew] = taken.try_emplace(symbol, variable); !isNew) {
        InFlightDiagnostic diagnostic = variable.emitError("variable '")
                                        << variable.getSymName() << "' becomes the C name '" << symbol << "', as '"
                                        << other->second.getSymName() << "' does; rename one of them";
        diagnostic.attachNote(other->second.getLoc()) << "'" << other->second.getSymName() << "' is declared here";
        return diagnostic;
      }
      stateIndex[variable.getSymName()] = out.state.size();
      out.state.push_back(
          {variable.getSymName().str(), symbol, type, out.stateSize, size, sourcePlace(variable.getLoc()), "", {}, {}, ""});
      if (auto whole = variable->getAttrOfType<TypeAttr>(kWholeAttr)) {
        out.state.back().whole = cast<RankedTensorType>(whole.getValue());
        if (auto splits = variable->getAttrOfType<ArrayAttr>(kSplitsAttr))
          for (auto axis : splits.getAsRange<StringAttr>())
            out.state.back().splits.push_back(axis.str());
        if (auto axis = variable->getAttrOfType<StringAttr>(kFlatAxisAttr))
          out.state.back().flatAxis = axis.str();
      }
      out.stateSize += llvm::alignTo(size, 64);
    }
    return success();
  }

  std::string nameOf(Attribute attr, StringRef prefix, unsigned index) {
    if (auto name = dyn_cast_or_null<StringAttr>(attr))
      return toCIdentifier(name.getValue(), prefix);
    return (prefix + Twine(index)).str();
  }

  void addDimensions(Signature &signature, const ArgumentField &argument) {
    SmallVector<std::string> names;
    for (const Dim &dim : argument.dims)
      dim.collectNames(names);
    addDimensions(signature, names, argument.place);
  }

  void addDimensions(Signature &signature, ArrayRef<std::string> names, const SourcePlace &place) {
    for (const std::string &name : names) {
      if (llvm::any_of(signature.dimensions, [&](const DimensionField &field) { return field.name == name; }))
        continue;
      DimBounds bounds = boundsOf(module, name);
      signature.dimensions.push_back({name, toCIdentifier(name), bounds.minimum, bounds.maximum, bounds.multipleOf, 0,
                                      bounds.declaration ? sourcePlace(bounds.declaration.getLoc()) : place});
    }
  }

  void addArgument(Signature &signature, Type type, std::string symbol, bool isOutput, unsigned index, Location location) {
    auto tensor = cast<RankedTensorType>(type);
    ArgumentField field{symbol, tensor.getElementType(), dimsOf(tensor), isOutput, index, 0, sourcePlace(location), {}};
    addDimensions(signature, field);
    signature.arguments.push_back(field);
  }

  void addCounts(Signature &signature, func::FuncOp function) {
    auto argumentOf = [&](Attribute name) {
      auto counts = [&](const ArgumentField &field) {
        return field.isOutput && function.getResultAttr(field.index, kNameAttr) == name;
      };
      auto found = llvm::find_if(signature.arguments, counts);
      return found == signature.arguments.end() ? -1 : int(found - signature.arguments.begin());
    };
    for (ArgumentField &field : signature.arguments)
      if (auto names = field.isOutput ? function.getResultAttrOfType<ArrayAttr>(field.index, kCountsAttr) : ArrayAttr())
        for (auto name : names.getAsRange<StringAttr>())
          field.counts.push_back(name.empty() ? -1 : argumentOf(name));
  }

  void addRequirements(Signature &signature, func::FuncOp function) {
    if (auto required = function->getAttrOfType<ArrayAttr>(kRequiresAttr))
      for (auto one : required.getAsRange<ArrayAttr>()) {
        RequiredExtent required{Dim::fromAttr(cast<DimAttr>(one[0])), cast<StringAttr>(one[1]).str(),
                                sourcePlace(cast<LocationAttr>(one[2])), std::nullopt};
        if (one.size() > 3) {
          auto sizes = cast<ArrayAttr>(one[3]);
          required.equal.emplace(Dim::fromAttr(cast<DimAttr>(sizes[0])), Dim::fromAttr(cast<DimAttr>(sizes[1])));
        }
        signature.requirements.push_back(std::move(required));
      }
  }

  /// Refuses collectives in entries without a context, which has the communicator.
  LogicalResult checkCollectives(func::FuncOp function) {
    WalkResult walked = function.walk([&](CollectiveOpInterface op) {
      if (threads)
        return WalkResult::advance();
      op.emitError("needs a context, whose communicator it uses; compile without --threads=off");
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  LogicalResult describe(func::FuncOp function) {
    Signature signature;
    signature.name = function.getSymName().str();
    signature.symbol = out.prefix + "_" + toCIdentifier(signature.name);
    signature.usesContext = threads;
    if (failed(checkCollectives(function)))
      return failure();
    signature.place = sourcePlace(function.getLoc());
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr))
        signature.stateArguments[i] = stateIndex.lookup(state.getValue());
      else
        addArgument(signature, function.getArgument(i).getType(), nameOf(function.getArgAttr(i, kNameAttr), "arg", i), false, i,
                    function.getArgument(i).getLoc());
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      if (auto state = function.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr))
        signature.stateResults[i] = stateIndex.lookup(state.getValue());
      else
        addArgument(signature, function.getResultTypes()[i], nameOf(function.getResultAttr(i, kNameAttr), "out", i), true, i,
                    function.getLoc());
    }
    addDimensions(signature, sizeNames(function), signature.place); // adds the names that occur only in its ops
    addCounts(signature, function);
    addRequirements(signature, function);
    if (auto shard = function->getAttrOfType<ArrayAttr>(kShardAttr))
      signature.shard = {cast<FlatSymbolRefAttr>(shard[0]).getValue().str(), cast<FlatSymbolRefAttr>(shard[1]).getValue().str(),
                         cast<StringAttr>(shard[2]).str()};
    signature.usesWeights = weights && weights->isReadBy(function);
    signature.usesCold = function->hasAttr(kColdWorkspaceAttr);
    signature.usesState = !signature.stateArguments.empty() || !signature.stateResults.empty();
    layOut(signature);
    out.functions.push_back(signature);
    return checkNames(function, signature);
  }

  void layOut(Signature &signature) {
    unsigned at = 0;
    auto next = [&] { return std::exchange(at, at + 8); };
    for (DimensionField &dimension : signature.dimensions)
      dimension.offset = next();
    for (ArgumentField &argument : signature.arguments)
      argument.offset = next();
    if (signature.usesState)
      signature.stateOffset = next();
    if (signature.usesWeights) {
      signature.weightsOffset = next();
      signature.weightsSizeOffset = next();
    }
    signature.workspaceOffset = next();
    signature.workspaceSizeOffset = next();
    if (signature.usesCold) {
      signature.coldOffset = next();
      signature.coldSizeOffset = next();
    }
    if (signature.usesContext)
      signature.contextOffset = next();
    signature.errorOffset = next();
    signature.size = at;
  }

  LogicalResult checkNames(func::FuncOp function, const Signature &signature) {
    llvm::StringSet<> taken = {"state", "workspace", "workspace_size", "context", "error", signature.symbol + "_args"};
    if (signature.usesWeights)
      taken.insert_range(ArrayRef<StringRef>{"weights", "weights_size"});
    if (signature.usesCold)
      taken.insert_range(ArrayRef<StringRef>{"cold_workspace", "cold_workspace_size"});
    auto check = [&](StringRef name, StringRef what) -> LogicalResult {
      StringRef mend = what == "dimension" ? "give it another name in lathe.dims" : "give it another name with lathe.name";
      if (isCKeyword(name))
        return function.emitError() << what << " '" << name << "' is a keyword, a macro or a reserved name of C or C++; "
                                    << mend;
      if (!taken.insert(name).second)
        return function.emitError() << what << " '" << name << "' is already a field of the args struct; " << mend;
      return success();
    };
    bool good = true; // all wrong names are reported
    for (const DimensionField &dimension : signature.dimensions)
      good &= succeeded(check(dimension.symbol, "dimension"));
    for (const ArgumentField &argument : signature.arguments)
      good &= succeeded(check(argument.symbol, argument.isOutput ? "result" : "argument"));
    StringRef name = StringRef(signature.symbol).drop_front(out.prefix.size() + 1);
    bool isLoader = weights && !weights->isEmpty() && (name == "map_weights" || name == "unmap_weights");
    if (isLoader || name == "info" || name.starts_with("state_") || name.ends_with("_args") ||
        name.ends_with("_workspace_size"))
      return function.emitError("the name '") << name << "' is reserved in generated headers; rename the function";
    if (!symbols.insert(signature.symbol).second)
      return function.emitError("two functions become the C symbol '") << signature.symbol << "'";
    for (const std::string &suffix : out.levelSuffixes)
      if (!symbols.insert(signature.symbol + suffix).second)
        return function.emitError("the C symbol '")
               << signature.symbol + suffix << "' of one CPU level is also a function; rename that function";
    return success(good);
  }

  ModuleOp module;
  ModuleSignature &out;
  bool threads;
  const WeightsFile *weights; // may be null
  llvm::StringMap<unsigned> stateIndex;
  llvm::StringSet<> symbols;
};
} // namespace

FailureOr<ModuleSignature> lathe::describeModule(ModuleOp module, StringRef prefix, StringRef source,
                                                 ArrayRef<std::string> entries, bool threads, ArrayRef<VectorTarget> targets,
                                                 const WeightsFile *weights) {
  ModuleSignature signature;
  signature.prefix = prefix.str();
  signature.source = source.str();
  for (const VectorTarget &target : targets) {
    signature.targets += (signature.targets.empty() ? "" : ",") + target.cpu + target.levelSuffix;
    if (targets.size() > 1)
      signature.levelSuffixes.push_back(levelSuffixOf(target));
  }
  if (weights && !weights->isEmpty()) {
    signature.weightsSize = weights->size();
    signature.weightsFingerprint = weights->fingerprint().str();
  }
  if (failed(Describer(module, signature, threads, weights).run(entries)))
    return failure();
  return signature;
}

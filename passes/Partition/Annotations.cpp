#include "passes/Partition/Annotations.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

FailureOr<Axes> partition::readAxes(ModuleOp module, ArrayRef<std::string> texts) {
  Axes axes;
  for (StringRef text : texts) {
    auto [axis, number] = text.split('=');
    int64_t size = 0;
    if (axis.empty() || number.getAsInteger(10, size) || size < 1)
      return module.emitError("expected AXIS=RANKS, got '") << text << "'";
    axes[axis.str()] = size;
  }
  return axes;
}

namespace {
/// Splits dimensions of one value, and reports what is wrong.
class Splitting {
public:
  Splitting(Location location, std::string what, Type type, const Axes &axes)
      : location(location), what(std::move(what)), type(cast<RankedTensorType>(type)), axes(axes) {}

  LogicalResult split(Sharding &sharding, int64_t dim, StringAttr axis) {
    if (dim < 0 || dim >= type.getRank())
      return refuse() << "dimension " << dim << " is out of range for " << type;
    auto found = axes.find(axis.str());
    if (found == axes.end())
      return refuse() << "the number of ranks along '" << axis.getValue() << "' is not known; add --axis=" << axis.getValue()
                      << "=RANKS";
    Dim extent = dimsOf(type)[dim];
    if (!extent.isStatic())
      return refuse() << "dimension " << dim << " is " << extent.str() << ", expected a number; fix it with --dim";
    if (extent.constant() % found->second != 0)
      return refuse() << "dimension " << dim << " is " << extent.str() << ", which the " << found->second << " ranks of '"
                      << axis.getValue() << "' do not divide evenly; pad it, or divide another dimension";
    if (sharding.dims[dim] && sharding.dims[dim] != axis)
      return refuse() << "dimension " << dim << " is divided over '" << sharding.dims[dim].getValue() << "' and over '"
                      << axis.getValue() << "'; a dimension has one axis";
    if (int other = sharding.dimOf(axis); other >= 0 && other != dim)
      return refuse() << "'" << axis.getValue() << "' divides dimensions " << other << " and " << dim
                      << "; an axis divides one dimension of a tensor";
    if (found->second > 1) // one rank has the whole
      sharding.dims[dim] = axis;
    return success();
  }

  /// Reads a `lathe.shard`, which the dialect has verified.
  LogicalResult split(Sharding &sharding, Attribute attribute) {
    for (auto [dim, axis] : llvm::enumerate(cast<ArrayAttr>(attribute).getAsRange<StringAttr>()))
      if (!axis.empty() && failed(split(sharding, dim, axis)))
        return failure();
    return success();
  }

private:
  InFlightDiagnostic refuse() { return emitError(location) << "cannot divide " << what << ": "; }

  Location location;
  std::string what;
  RankedTensorType type;
  const Axes &axes;
};
} // namespace

static std::string listOf(const Variables &variables) {
  if (variables.empty())
    return "the graph has no variables";
  return "there are " + llvm::join(llvm::map_range(variables, [](auto &each) { return "@" + each.first.str(); }), ", ");
}

/// Applies one option PATTERN:DIM@AXIS.
static LogicalResult readOption(ModuleOp module, StringRef text, const Axes &axes, Annotations &annotations) {
  auto [pattern, place] = text.rsplit(':');
  auto [number, axis] = place.split('@');
  int64_t dim;
  llvm::Expected<llvm::GlobPattern> names = llvm::GlobPattern::create(pattern);
  if (!names || pattern.empty() || axis.empty() || number.getAsInteger(10, dim)) {
    llvm::consumeError(names.takeError());
    return module.emitError("expected PATTERN:DIM@AXIS, got '") << text << "'";
  }
  bool matched = false;
  for (auto variable : module.getOps<VariableOp>()) {
    StringAttr name = variable.getSymNameAttr();
    if (!names->match(name))
      continue;
    matched = true;
    annotations.fixed.insert(name);
    Splitting splitting(optionPlace("--shard-variable", variable.getLoc()), "variable @" + name.str(), variable.getType(),
                        axes);
    if (failed(splitting.split(annotations.variables[name], dim, StringAttr::get(module.getContext(), axis))))
      return failure();
  }
  if (matched)
    return success();
  auto functions = module.getOps<func::FuncOp>();
  Location location = functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
  return emitError(optionPlace("--shard-variable", location))
         << "no variable matches '" << pattern << "'; " << listOf(annotations.variables);
}

FailureOr<Annotations> partition::readAnnotations(ModuleOp module, ArrayRef<std::string> options, const Axes &axes) {
  Annotations annotations;
  for (auto variable : module.getOps<VariableOp>()) {
    StringAttr name = variable.getSymNameAttr();
    Sharding &sharding = annotations.variables[name] = Sharding(variable.getType());
    Attribute given = variable->getAttr(kShardAttr);
    if (!given)
      continue;
    annotations.fixed.insert(name);
    if (failed(Splitting(variable.getLoc(), "variable @" + name.str(), variable.getType(), axes).split(sharding, given)))
      return failure();
  }
  for (const std::string &option : options)
    if (failed(readOption(module, option, axes, annotations)))
      return failure();
  return annotations;
}

/// Returns the sharding of an argument or a result with these attributes.
static FailureOr<Sharding> read(Location location, const Twine &what, Type type, Attribute state, Attribute shard,
                                const Variables &variables, const Axes &axes) {
  if (auto variable = dyn_cast_or_null<FlatSymbolRefAttr>(state))
    return variables.lookup(variable.getAttr());
  Sharding sharding(type);
  if (shard && failed(Splitting(location, what.str(), type, axes).split(sharding, shard)))
    return failure();
  return sharding;
}

FailureOr<SmallVector<Sharding>> partition::argumentsOf(func::FuncOp function, const Variables &variables, const Axes &axes) {
  SmallVector<Sharding> shardings;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    FailureOr<Sharding> sharding =
        read(argument.getLoc(), "argument " + Twine(i), argument.getType(), function.getArgAttr(i, kStateAttr),
             function.getArgAttr(i, kShardAttr), variables, axes);
    if (failed(sharding))
      return failure();
    shardings.push_back(*sharding);
  }
  return shardings;
}

FailureOr<SmallVector<Sharding>> partition::resultsOf(func::FuncOp function, const Variables &variables, const Axes &axes) {
  SmallVector<Sharding> shardings;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    FailureOr<Sharding> sharding = read(function.getLoc(), "result " + Twine(i), type, function.getResultAttr(i, kStateAttr),
                                        function.getResultAttr(i, kShardAttr), variables, axes);
    if (failed(sharding))
      return failure();
    shardings.push_back(*sharding);
  }
  return shardings;
}

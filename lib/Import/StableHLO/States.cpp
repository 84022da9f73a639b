// Arguments that become variables: the parameters and the optimiser's state of a jitted update.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Import/StableHLO/Program.h"
#include "lib/Import/StableHLO/Signature.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// On a donated argument: the result that replaces it. Programs for several devices have the second attribute instead, which
/// leaves open which result that is.
static constexpr llvm::StringLiteral kAliasAttr = "tf.aliasing_output", kDonorAttr = "jax.buffer_donor";

/// True if an option names the argument; records the pattern.
static bool isState(Program &program, StringRef name, bool isDonated) {
  bool isOne = false;
  for (const std::string &pattern : program.options.stateArguments) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
    bool matches = pattern.empty() ? isDonated : glob && glob->match(name);
    if (!glob)
      llvm::consumeError(glob.takeError()); // the command line has been checked
    if (matches)
      program.statesMatched.insert(pattern);
    isOne |= matches;
  }
  return isOne;
}

/// Records of which whole variable this one is a rank's block, for files of the state. Emits an error if the block's place is
/// not the rank's index along one axis for each dimension.
static LogicalResult setWhole(VariableOp variable, BlockArgument argument, const Division &division) {
  SmallVector<StringRef> splits(cast<RankedTensorType>(argument.getType()).getRank(), "");
  for (auto [dim, axes] : llvm::enumerate(division)) {
    if (axes.size() > 1)
      return emitError(variable.getLoc()) << "dimension " << dim << " of argument '" << variable.getSymName()
                                          << "' is divided over '" << axes[0]->name << "' and '" << axes[1]->name
                                          << "'; a variable has one axis for each dimension";
    if (!axes.empty())
      splits[dim] = axes[0]->name;
  }
  Builder builder(variable.getContext());
  variable->setAttr(kWholeAttr, TypeAttr::get(argument.getType()));
  variable->setAttr(kSplitsAttr, builder.getStrArrayAttr(splits));
  return success();
}

LogicalResult hloimport::makeStates(Program &program, func::FuncOp function, func::FuncOp entry) {
  if (program.options.stateArguments.empty())
    return success();
  Block &block = entry.getBody().front();
  auto returned = cast<func::ReturnOp>(block.getTerminator());
  unsigned count = entry.getNumArguments();
  llvm::BitVector goneArguments(count), goneResults(returned.getNumOperands());
  SmallVector<std::optional<unsigned>> aliases(count);
  for (unsigned i = 0; i < count; ++i)
    if (auto alias = function.getArgAttrOfType<IntegerAttr>(i, kAliasAttr); alias && alias.getInt() < returned.getNumOperands())
      aliases[i] = alias.getInt();
  OpBuilder &builder = program.builder;
  for (unsigned i = 0; i < count; ++i) {
    auto name = entry.getArgAttrOfType<StringAttr>(i, kNameAttr);
    BlockArgument argument = entry.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    auto donor = function.getArgAttrOfType<BoolAttr>(i, kDonorAttr);
    if (!isState(program, name.getValue(), aliases[i].has_value() || (donor && donor.getValue())))
      continue;
    if (!type.hasStaticShape())
      return emitError(optionPlace("--state", function.getLoc()))
             << "argument '" << name.getValue()
             << "' has an open size; fix it with --dim in JAX, since a variable has a fixed size";
    OpBuilder::InsertionGuard guard(builder);
    if (program.variables.insert(name.getValue().str()).second) {
      builder.setInsertionPoint(entry);
      auto variable = VariableOp::create(builder, function.getLoc(), name, type, ZerosAttr::get(builder.getContext()));
      auto block = program.blocks.find(function.getArgument(i));
      if (block != program.blocks.end() && failed(setWhole(variable, function.getArgument(i), block->second)))
        return failure();
    }
    builder.setInsertionPointToStart(&block);
    auto symbol = FlatSymbolRefAttr::get(name);
    argument.replaceAllUsesWith(ReadOp::create(builder, function.getLoc(), type, symbol));
    goneArguments.set(i);
    std::optional<unsigned> result = aliases[i];
    for (unsigned k = 0; k < returned.getNumOperands() && !result; ++k)
      if (!goneResults[k] && returned.getOperand(k).getType() == type && !llvm::is_contained(aliases, std::optional(k)))
        result = k;
    if (!result)
      continue; // it is only read
    goneResults.set(*result);
    builder.setInsertionPoint(returned);
    WriteOp::create(builder, returned.getLoc(), symbol, returned.getOperand(*result));
  }
  for (int i = goneResults.find_last(); i >= 0; i = i ? goneResults.find_prev(i) : -1)
    returned->eraseOperand(i);
  return success(succeeded(entry.eraseArguments(goneArguments)) && succeeded(entry.eraseResults(goneResults)));
}

LogicalResult Program::checkStates() {
  for (const std::string &pattern : options.stateArguments)
    if (!statesMatched.contains(pattern))
      return emitError(optionPlace("--state", source.getLoc()))
             << (pattern.empty()
                     ? std::string("the program donates no argument; name them with arguments:PATTERN, or jit it with "
                                   "donate_argnums")
                     : "no argument matches '" + pattern + "'; they have the names that the header gives them");
  return success();
}

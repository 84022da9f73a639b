// What an entry looks like from C: the one description behind header, argument checks and information tables.
#ifndef LATHE_CODEGEN_EMIT_SIGNATURE_H
#define LATHE_CODEGEN_EMIT_SIGNATURE_H

#include "codegen/CPU/Target.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>
#include <vector>

namespace lathe {
class WeightsFile;

struct DimensionField {
  std::string name;   // in the graph
  std::string symbol; // in C
  int64_t minimum = 0, maximum, multipleOf = 1;
  unsigned offset = 0;
  SourcePlace place;
};

/// A condition on sizes that an op inside the function needs: an extent that must not be negative, or two sizes that must be
/// equal, of which `extent` is the difference.
struct RequiredExtent {
  Dim extent;
  std::string op;
  SourcePlace place;
  std::optional<std::pair<Dim, Dim>> equal;

  /// The bound that an extent such as `128 - time` sets to its only name.
  struct Bound {
    std::string name;
    bool isMost;
    int64_t value;
  };
  std::optional<Bound> bound() const;
  /// The sizes that are compared: the first is to be equal to the second one, or at least that.
  std::pair<Dim, Dim> sides() const;
  /// "2 * floor_div(H, 2) == H", "H >= W + 2", "time <= 128"
  std::string str() const;
};

struct ArgumentField {
  std::string symbol;
  mlir::Type element;
  Dims dims;
  bool isOutput = false;
  unsigned index = 0; // of the function's argument or result
  unsigned offset = 0;
  SourcePlace place;
  /// Of a result with sizes that data decides: for each dimension the argument that says how much of it counts, or -1.
  std::vector<int> counts;

  unsigned elementBytes() const { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }
  Dim bytes() const;
};

/// The parts of a training step that several contexts may share, by their names in the graph.
struct ShardField {
  std::string gradients, update, dimension;
};

/// One exported function. Offsets are those of the C args struct, LP64.
struct Signature {
  std::string name;   // in the graph
  std::string symbol; // PREFIX_name
  std::vector<DimensionField> dimensions;
  std::vector<ArgumentField> arguments; // inputs, then outputs
  std::vector<RequiredExtent> requirements;
  bool usesState = false, usesWeights = false, usesContext = true;
  unsigned stateOffset = 0, weightsOffset = 0, weightsSizeOffset = 0, workspaceOffset = 0, workspaceSizeOffset = 0,
           contextOffset = 0, errorOffset = 0, size = 0;
  Dim workspace;
  SourcePlace place;
  /// Variables that a state argument or result is: index of function argument / result to index in the state region.
  llvm::DenseMap<unsigned, unsigned> stateArguments, stateResults;
  std::optional<ShardField> shard;
};

struct StateField {
  std::string name;   // in the graph
  std::string symbol; // in C
  mlir::RankedTensorType type;
  uint64_t offset = 0, size = 0;
  SourcePlace place;
};

/// A function that the application defines and the object calls.
struct ExternFunction {
  ExternSignature signature;
  SourcePlace place; // of a call
};

/// All that a generated object shows.
struct ModuleSignature {
  std::string prefix;                     // of C symbols
  std::string source;                     // base name of the graph
  std::string targets;                    // "x86-64-v3,x86-64-v4"
  std::vector<std::string> levelSuffixes; // of the entries for one level, where there are several
  std::vector<StateField> state;
  uint64_t stateSize = 0;
  uint64_t weightsSize = 0; // of the file beside the object; 0 where there is none
  std::string weightsFile;  // what the header calls it
  std::string weightsFingerprint;
  int64_t parallelWork = 0; // of a kernel that is worth other threads
  std::vector<Signature> functions;
  std::vector<ExternFunction> externs; // in the order of their first calls
};

/// What symbols of one level of several end in: "_x86_64_v3".
std::string levelSuffixOf(const VectorTarget &target);

/// "f32", "i1", ... as the header's comments and the runtime spell it.
std::string elementText(mlir::Type element);
/// The C type that holds an element.
llvm::StringRef elementCType(mlir::Type element);
/// "f32[N][16]"
std::string typeText(mlir::Type element, llvm::ArrayRef<Dim> dims);

/// Describes the public functions: those named in `entries`, or all where that is empty. Clashing or reserved names are
/// diagnosed at their place. Of those that read constants of `weights`, which may be null, callers give that file.
mlir::FailureOr<ModuleSignature> describeModule(mlir::ModuleOp module, llvm::StringRef prefix, llvm::StringRef source,
                                                llvm::ArrayRef<std::string> entries, bool threads,
                                                llvm::ArrayRef<VectorTarget> targets, const WeightsFile *weights = nullptr);

} // namespace lathe

#endif

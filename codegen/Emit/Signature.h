// The C interface of an entry, from which header, argument checks and information tables are generated.
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

/// A named dimension, a field of the args struct.
struct DimensionField {
  std::string name;   // in the graph
  std::string symbol; // in C
  int64_t minimum = 0, maximum, multipleOf = 1;
  unsigned offset = 0;
  SourcePlace place;
};

/// A condition on sizes that an op in the function requires: an extent that must not be negative, or two sizes that must be
/// equal, where `extent` is their difference.
struct RequiredExtent {
  Dim extent;
  std::string op;
  SourcePlace place;
  std::optional<std::pair<Dim, Dim>> equal;

  /// A bound on a single name, which an extent such as `128 - time` implies.
  struct Bound {
    std::string name;
    bool isMost;
    int64_t value;
  };
  std::optional<Bound> bound() const;
  /// Returns the compared sizes: the first must equal the second, or be at least as large.
  std::pair<Dim, Dim> sides() const;
  /// Returns a text such as "2 * floor_div(H, 2) == H", "H >= W + 2" or "time <= 128".
  std::string str() const;
};

/// A tensor that the caller passes, a field of the args struct.
struct ArgumentField {
  std::string symbol;
  mlir::Type element;
  Dims dims;
  bool isOutput = false;
  unsigned index = 0; // of the function's argument or result
  unsigned offset = 0;
  SourcePlace place;
  /// For a result with dynamic extents: the argument with the number of valid elements of each dimension, or -1.
  std::vector<int> counts;

  unsigned elementBytes() const { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }
  Dim bytes() const;
};

/// The parts of a training step that several contexts can share, by their names in the graph.
struct ShardField {
  std::string gradients, update, dimension;
};

/// An exported function. Offsets are those of the C args struct in LP64.
struct Signature {
  std::string name;   // in the graph
  std::string symbol; // PREFIX_name
  std::vector<DimensionField> dimensions;
  std::vector<ArgumentField> arguments; // inputs, then outputs
  std::vector<RequiredExtent> requirements;
  bool usesState = false, usesWeights = false, usesCold = false, usesContext = true;
  unsigned stateOffset = 0, weightsOffset = 0, weightsSizeOffset = 0, workspaceOffset = 0, workspaceSizeOffset = 0,
           coldOffset = 0, coldSizeOffset = 0, contextOffset = 0, errorOffset = 0, size = 0;
  /// The bytes of workspace, in the signature that `emitModule` returns. They include the scratch memory of GPU code, which is
  /// known once all kernels are emitted.
  Dim workspace;
  bool usesTiles = false; // of AMX, in a kernel: known once all kernels are emitted
  Dim coldWorkspace;      // the bytes of the second workspace; 0 unless usesCold
  SourcePlace place;
  std::string doc; // the comment above the function in the graph
  /// The variables of state arguments and results: maps the index of a function argument or result to that in the state region.
  llvm::DenseMap<unsigned, unsigned> stateArguments, stateResults;
  std::optional<ShardField> shard;

  bool writesState() const { return !stateResults.empty(); }
};

/// A variable in the state region.
struct StateField {
  std::string name;   // in the graph
  std::string symbol; // in C
  mlir::RankedTensorType type;
  uint64_t offset = 0, size = 0;
  SourcePlace place;
  std::string doc; // the comment above the variable in the graph
  /// These three describe a variable that ranks divide, and are empty for another one. `whole` is the type of all of it. The
  /// ranks of the axes in `splits` divide its dimensions, and those of `flatAxis` divide the elements that are left.
  mlir::RankedTensorType whole;
  std::vector<std::string> splits;
  std::string flatAxis;
};

/// A function that the application defines and the object calls.
struct ExternFunction {
  ExternSignature signature;
  SourcePlace place; // of one of its calls
};

/// The compiler and its options, as headers state them.
struct Maker {
  std::string version; // "0.1.0"
  std::string options; // those that differ from the defaults: "-O1 --dim=N=4"
};

/// The interface of a generated object.
struct ModuleSignature {
  std::string prefix;            // of C symbols
  std::string source;            // base name of the graph
  std::string debugFolder = "."; // in which debuggers look for it
  std::string targets;           // "x86-64-v3,x86-64-v4"
  std::string doc;               // the comment at the top of the graph
  Maker maker;
  std::vector<std::string> levelSuffixes; // suffixes of the entries of each level, if there are several
  std::vector<StateField> state;
  uint64_t stateSize = 0;
  uint64_t weightsSize = 0; // of the file beside the object; 0 if there is none
  std::string weightsFile;  // its name in the header
  std::string weightsFingerprint;
  int64_t parallelWork = 0; // least work of a kernel that pays for threads
  std::vector<Signature> functions;
  std::vector<ExternFunction> externs; // in the order of their first calls
};

/// Returns the suffix of the symbols of one level among several: "_x86_64_v3".
std::string levelSuffixOf(const VectorTarget &target);

/// Returns "f32", "i1" and so on, as in the header's comments and the runtime.
std::string elementText(mlir::Type element);
/// Returns the C type that holds an element.
llvm::StringRef elementCType(mlir::Type element);
/// Returns a text such as "f32[N][16]".
std::string typeText(mlir::Type element, llvm::ArrayRef<Dim> dims);

/// Describes the public functions, except their workspaces: those named in `entries`, or all if that is empty. Diagnoses
/// clashing or reserved names at their location. For functions that read constants of `weights`, which may be null, callers
/// must pass that file.
mlir::FailureOr<ModuleSignature> describeModule(mlir::ModuleOp module, llvm::StringRef prefix, llvm::StringRef source,
                                                llvm::ArrayRef<std::string> entries, bool threads,
                                                llvm::ArrayRef<VectorTarget> targets, const WeightsFile *weights = nullptr);

} // namespace lathe

#endif

// A description of a scheduled graph for reports: its kernels, what they compute, and the memory between them. It refers to no
// IR, and holds for any sizes of the named dimensions.
#ifndef LATHE_COMPILER_DESCRIBE_DESCRIPTION_H
#define LATHE_COMPILER_DESCRIBE_DESCRIPTION_H

#include "lathe/Compiler.h"
#include "lib/Analysis/KernelCost.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/Support/JSON.h"

namespace lathe {

/// A tensor's element type and dimensions.
struct DescribedType {
  std::string element; // "f32"
  Dims dims;

  /// Returns "f32[4][16]"; a dimension without a size keeps its formula.
  std::string str(const Sizes &sizes) const;
};

/// An op in a kernel.
struct DescribedOp {
  std::string op, name; // name: of its first result in the graph, or empty
  SourcePlace place;
  DescribedType type;     // of its first result
  std::vector<int> reads; // ops of the kernel by number; -1 - I stands for the kernel's input I
};

/// A call of a kernel: a row of the entry's table of kernels.
struct DescribedKernel {
  std::string op, fused; // the op that names it, and the others with spaces between them
  SourcePlace place;
  DescribedType type; // of its first result; no element without a result
  std::vector<DescribedOp> ops;
  std::vector<std::pair<std::string, std::string>> schedules; // targets and their schedules
  std::vector<unsigned> reads, writes;                        // tensors by number
  int region = -1;                                            // the innermost branch or loop around it
  KernelWork work;
};

/// A branch or loop, and the kernels in it.
struct DescribedRegion {
  std::string op;
  SourcePlace place;
  int parent = -1;
  unsigned first, last; // kernels; first > last without one
};

/// The memory that a tensor is in.
enum class TensorKind { Workspace, Input, Output, State, Constant, Yielded, Cold };

/// A tensor that kernels read or write. A view is the same tensor as its operand.
struct DescribedTensor {
  std::string name; // in the graph, or empty
  std::string op;   // that made it; empty for an argument
  SourcePlace place;
  DescribedType type;
  TensorKind kind;
  Dim bytes, offset;    // offset: in the workspace, or in the cold one
  int region = -1;      // the branch or loop that returns it
  unsigned first, last; // the kernels that it is live from and to, both included
};

/// A planned function: the general version of an entry, or one for some sizes.
struct DescribedVersion {
  std::string function, name; // name: "general", "N=32"
  std::map<std::string, Dim> fixed;
  llvm::SmallVector<std::string> dims; // the other names in it
  int line;
  Dim workspace;
  std::vector<DescribedKernel> kernels;
  std::vector<DescribedRegion> regions;
  std::vector<DescribedTensor> tensors;

  /// Returns sizes for all names: fixed ones, then those in `given`, then `other` for the rest.
  Sizes sizesFor(const Sizes &given, int64_t other) const;
};

/// The largest set of tensors of the workspace that are live at once, for some sizes.
struct LargestLiveSet {
  int64_t bytes = 0;
  unsigned kernel = 0;
  std::vector<unsigned> tensors;
};

/// Returns the bytes of the workspace that are live while each kernel runs, each tensor with its padding to a multiple of 64,
/// and sets the largest set.
std::vector<int64_t> liveBytes(const DescribedVersion &version, const Sizes &sizes, LargestLiveSet &largest);

/// A compilation: the versions of all entries.
struct CompileDescription {
  std::string graph, text, target; // the graph's base name; its text, empty for a model
  std::vector<DescribedVersion> versions;
};

/// Describes the exported functions of a module after the stage schedule.
CompileDescription describeCompilation(mlir::ModuleOp module);

/// The size that named dimensions have in a report where nothing gives them another.
inline constexpr int64_t kReportedSize = 64;

/// Returns the description with all decisions as one document (docs/report.md), for these sizes of named dimensions.
llvm::json::Object documentOf(const CompileDescription &description, llvm::ArrayRef<CompileRemark> remarks, const Sizes &given);

} // namespace lathe

#endif

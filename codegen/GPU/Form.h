// Forms of code for a GPU. Families of them have folders of their own, with what they take, how they are scheduled, and their
// emitters; codegen/GPU/Forms.cpp lists them.
#ifndef LATHE_CODEGEN_GPU_FORM_H
#define LATHE_CODEGEN_GPU_FORM_H

#include "codegen/GPU/Target.h"
#include "codegen/Schedules/Form.h"
#include "codegen/Schedules/KernelStructure.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::gpu {

/// Matrices that blocks copy boxes of; lathe_device_map in the runtime's words.
struct TensorMap {
  struct Dimension {
    int64_t extent = 1;           // elements ...
    std::optional<unsigned> word; // ... times this word of the parameter
    int64_t stride = 0;           // bytes
    unsigned box = 1;             // elements that it spans, ...
    unsigned step = 1;            // ... of which every so many-th arrives
  };
  unsigned word = 0; // that points to it
  mlir::Type element;
  unsigned swizzle = 128;
  int64_t offset = 0;
  llvm::SmallVector<Dimension> dimensions; // innermost first
};

/// What a caller must know of a kernel's code. Its parameter is an array of 8-byte words by value: pointers of the inputs, of
/// the outputs, then the values of `symbols`, the pairs of kPredicatesAttr, and the address of scratch memory.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<std::string> symbols;
  unsigned words = 0;
  unsigned threads = 128;            // of a block
  unsigned sharedBytes = 0;          // that the host gives a block, beside what it declares
  llvm::SmallVector<TensorMap> maps; // behind the words
  /// ceil(extent / unit) blocks are launched, the same for all targets; of a persistent kernel as many as run at once, which
  /// share what is to be done.
  bool isPersistent = false;
  Dim extent = Dim(1);
  int64_t unit = 1;
  /// A second function that goes on where the first one's blocks are all done, with the same words.
  struct Stage {
    mlir::LLVM::LLVMFuncOp function;
    unsigned threads = 128;
    Dim extent = Dim(1);
    int64_t unit = 1;
  };
  std::optional<Stage> second;
  /// Bytes of memory between both, whose address is the last word; 0 without one.
  int64_t scratchBytes = 0;
  std::string form; // how threads share the work, in words
};

/// A place for a kernel's function, and who it is for.
struct FunctionPlace {
  mlir::ModuleOp module;
  llvm::StringRef name;
  const Target &target;
};

/// Returns how many words with predicates a kernel has.
unsigned predicatesOf(KernelOp kernel);

/// Returns the number of words in a kernel's parameter, without one of scratch memory.
inline unsigned wordsOf(KernelOp kernel, llvm::ArrayRef<std::string> symbols) {
  return kernel.getBody().getNumArguments() + kernel.getNumResults() + symbols.size() + 2 * predicatesOf(kernel);
}

struct Machine {
  static constexpr llvm::StringLiteral name = "a GPU";
  static constexpr llvm::StringLiteral schedulePass = "lathe-schedule-gpu";
  static constexpr MachineKind kind = MachineKind::GPU;
  using Target = gpu::Target;
  using Place = FunctionPlace;
  using Code = KernelCode;
  /// Returns what schedules and options call a target.
  static std::string nameOf(const Target &target) { return "cuda:" + target.name(); }
};

using Form = MachineForm<Machine>;

/// A form whose parameters are a struct.
template <typename Parameters>
class FormOf : public ParameterForm<Machine, Parameters> {
public:
  using ParameterForm<Machine, Parameters>::ParameterForm;
};

} // namespace lathe::gpu

#endif

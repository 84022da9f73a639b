// The forms of GPU code. A family of forms has its own folder with the kernels that it takes, its schedule and its emitter;
// codegen/GPU/Forms.cpp lists them.
#ifndef LATHE_CODEGEN_GPU_FORM_H
#define LATHE_CODEGEN_GPU_FORM_H

#include "codegen/GPU/Target.h"
#include "codegen/Schedules/Form.h"
#include "codegen/Schedules/KernelStructure.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::gpu {

/// A TMA descriptor of a tensor, as the runtime encodes it (lathe_device_map).
struct TensorMap {
  struct Dimension {
    int64_t extent = 1;           // in elements; times the parameter word `word` if that is set
    std::optional<unsigned> word; // index of a word of the parameter
    int64_t stride = 0;           // in bytes
    unsigned box = 1;             // elements that the box spans
    unsigned step = 1;            // distance of the elements that are copied
  };
  unsigned word = 0; // index of the parameter word with the tensor's address
  mlir::Type element;
  unsigned swizzle = 128;
  int64_t offset = 0;
  llvm::SmallVector<Dimension> dimensions; // innermost first
};

/// A kernel's code, as its callers need to know it. Its parameter is an array of 8-byte words by value: pointers of the inputs
/// and of the outputs, the values of `symbols`, the pairs of kPredicatesAttr, and the address of scratch memory.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<std::string> symbols;
  unsigned words = 0;
  unsigned threads = 128;            // per block
  unsigned sharedBytes = 0;          // dynamic shared memory of a block, in addition to what the function declares
  llvm::SmallVector<TensorMap> maps; // follow the words in the parameter
  /// ceil(extent / unit) blocks are launched, the same number for all targets. A persistent kernel is launched with at most as
  /// many blocks as run at once, and its blocks loop over the work.
  bool isPersistent = false;
  Dim extent = Dim(1);
  int64_t unit = 1;
  /// A second function, launched with the same words after all blocks of the first one have ended.
  struct Stage {
    mlir::LLVM::LLVMFuncOp function;
    unsigned threads = 128;
    Dim extent = Dim(1);
    int64_t unit = 1;
  };
  std::optional<Stage> second;
  /// Bytes of scratch memory that the first function writes and the second one reads. Its address is the last word. 0 without
  /// scratch memory.
  int64_t scratchBytes = 0;
  std::string form; // how threads share the work, for reports
};

/// The module and name of a function to emit, and its target.
struct FunctionPlace {
  mlir::ModuleOp module;
  llvm::StringRef name;
  const Target &target;
};

/// Returns the number of a kernel's predicates, each of which takes two words of the parameter.
unsigned predicatesOf(KernelOp kernel);

/// Returns the number of words in a kernel's parameter, without the word for scratch memory.
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
  /// Returns the name of a target in schedules and options.
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

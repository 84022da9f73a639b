// The base of emitters with their own loops: the closure's words as values, the stores of results, constant tables.
#ifndef LATHE_CODEGEN_CPU_TILES_FRAME_H
#define LATHE_CODEGEN_CPU_TILES_FRAME_H

#include "codegen/Points/CodeFrame.h"
#include "codegen/Points/LeafAccesses.h"

namespace lathe::cpu {

/// The body of a kernel's function.
class KernelFrame : public CodeFrame {
public:
  /// Binds the inputs, outputs and named dimensions.
  KernelFrame(KernelOp kernel, KernelLoops loops, mlir::LLVM::LLVMFuncOp function, const VectorTarget &target,
              mlir::OpBuilder &builder);

  mlir::LLVM::LLVMFuncOp function;
  mlir::Value begin, end; // range of work items
  KernelLoops loops;

  /// Returns the indices of the `linear`-th element in row-major order.
  llvm::SmallVector<Index> indicesOf(mlir::Value linear, llvm::ArrayRef<Dim> extents);
  /// Evaluates the kernel's results at `place`, and stores them.
  void storeResults(llvm::ArrayRef<Index> place);
  /// The same, given that the hero has `value` there.
  void finish(mlir::Value hero, mlir::Value value, llvm::ArrayRef<Index> place);
  /// Returns the buffer of a result of the kernel.
  mlir::Value output(unsigned i) const { return outputs[i]; }

private:
  llvm::SmallVector<mlir::Value> outputs;
};

/// Returns the results of a kernel as roots, without loops, for forms with loops of their own. `symbols` are the names of sizes
/// that their code needs.
KernelLoops resultsWithoutLoops(KernelOp kernel, llvm::SmallVector<std::string> symbols);

/// Returns the function of this name in the kernel's module. If there is none, creates it with the code that `body` emits from
/// its arguments. Kernels thus share equal inner loops.
mlir::LLVM::LLVMFuncOp sharedFunction(KernelFrame &frame, llvm::StringRef symbol, llvm::ArrayRef<mlir::Type> arguments,
                                      llvm::function_ref<void(CodeFrame &, llvm::ArrayRef<mlir::Value>)> body);

/// A constant array of words in the kernel's module.
class WordTable {
public:
  WordTable(KernelFrame &frame, llvm::StringRef name, llvm::ArrayRef<int32_t> words);
  /// Refers to a table at an address.
  WordTable(CodeFrame &frame, mlir::Value address) : frame(frame), address(address) {}
  /// Returns the word at `index + offset`, as i64.
  mlir::Value operator()(mlir::Value index, int64_t offset);
  mlir::Value addressOf(mlir::Value index, int64_t offset);

private:
  CodeFrame &frame;
  mlir::Value address;
};

} // namespace lathe::cpu

#endif

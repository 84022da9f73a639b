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

/// Calls such a function from code in the kernel's module. `forEach(arguments, visit)` calls `visit` with each value of a set
/// of arguments and its type. `given` has the values of the call; `own` becomes the function's arguments, with which `emit`
/// emits its code.
template <typename Arguments, typename ForEach, typename Emit>
void callSharedFunction(KernelFrame &kernel, CodeFrame &caller, llvm::StringRef symbol, Arguments given, Arguments own,
                        ForEach forEach, Emit emit) {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Type> types;
  forEach(given, [&](mlir::Value value, mlir::Type type) {
    values.push_back(value);
    types.push_back(type);
  });
  auto function = sharedFunction(kernel, symbol, types, [&](CodeFrame &inside, llvm::ArrayRef<mlir::Value> arguments) {
    forEach(own, [&, i = 0](mlir::Value &value, mlir::Type) mutable { value = arguments[i++]; });
    emit(inside, own);
  });
  mlir::LLVM::CallOp::create(caller.b, caller.loc, function, values);
}

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

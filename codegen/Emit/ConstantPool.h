// The data of the constants that a module's code reads.
#ifndef LATHE_CODEGEN_EMIT_CONSTANTPOOL_H
#define LATHE_CODEGEN_EMIT_CONSTANTPOOL_H

#include "codegen/Emit/WeightsFile.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace lathe {

/// One global for each different constant, whatever versions and CPU levels read it. Those of a model's weights have no data in
/// LLVM's hands, which would keep several copies of it; they are appended to the object that LLVM wrote.
class ConstantPool {
public:
  /// Unless it `keepsAll`, as code needs that is not to become an object, larger constants wait for `appendTo`. Those of a
  /// `file`, which may be null, are none of the pool's.
  explicit ConstantPool(bool keepsAll = true, const WeightsFile *file = nullptr) : keepsAll(keepsAll), file(file) {}

  /// The file that some constants are in; null without one.
  const WeightsFile *getFile() const { return file; }

  /// The global with the constant's bytes, of i8, aligned to 64 bytes.
  llvm::GlobalVariable *get(llvm::Module &code, ConstantOp constant);

  /// Appends the data that LLVM did not see to an ELF object of 64 bits, where the symbols that stand for it find it, and takes
  /// it from the graph, which cannot be compiled or run any more: memory holds it once. The reason if that fails; else empty.
  std::string appendTo(std::string &object);

  /// Whether objects of the target can be appended to.
  static bool canAppendTo(const llvm::Triple &target);

private:
  bool keepsAll;
  const WeightsFile *file;
  llvm::DenseMap<mlir::Attribute, llvm::GlobalVariable *> globals;
  llvm::StringMap<mlir::ElementsAttr> waiting; // by symbol
};

} // namespace lathe

#endif

// The data of the constants that a module's code reads.
#ifndef LATHE_CODEGEN_EMIT_CONSTANTPOOL_H
#define LATHE_CODEGEN_EMIT_CONSTANTPOOL_H

#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// One global for each different constant, whatever versions and CPU levels read it. Those of a model's weights are zeros in
/// LLVM's hands, which would keep several copies of them, and get their data when the object is written. The graph must outlive
/// the pool.
class ConstantPool {
public:
  /// Unless it `keepsAll`, as code needs that is not to become an object, larger constants wait for `fill`.
  explicit ConstantPool(bool keepsAll = true) : keepsAll(keepsAll) {}

  /// The global with the constant's bytes, of i8, aligned to 64 bytes.
  llvm::GlobalVariable *get(llvm::Module &code, ConstantOp constant);

  /// The bytes that `fill` will write.
  size_t waitingBytes() const;

  /// Writes the data that LLVM did not see to its symbols' places in an ELF object. The reason if that fails; else empty.
  std::string fill(llvm::MutableArrayRef<char> object) const;

private:
  bool keepsAll;
  llvm::DenseMap<mlir::Attribute, llvm::GlobalVariable *> globals;
  llvm::StringMap<llvm::ArrayRef<char>> waiting; // by symbol
};

} // namespace lathe

#endif

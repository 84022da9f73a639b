// The data of the constants that a module's code reads.
#ifndef LATHE_CODEGEN_EMIT_CONSTANTPOOL_H
#define LATHE_CODEGEN_EMIT_CONSTANTPOOL_H

#include "codegen/Emit/WeightsFile.h"
#include "codegen/Schedules/Panels.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include <map>

namespace lathe {

/// One global for each different constant, which all versions and CPU levels share. LLVM gets no data for large constants,
/// because it would keep several copies; they are appended to the object that LLVM wrote.
class ConstantPool {
public:
  /// Keeps larger constants back for `appendTo`, unless it `keepsAll`, which code that does not become an object needs.
  /// Constants in `file`, which may be null, do not enter the pool.
  explicit ConstantPool(bool keepsAll = true, const WeightsFile *file = nullptr) : keepsAll(keepsAll), file(file) {}

  /// Returns the file that some constants are in; null if there is none.
  const WeightsFile *getFile() const { return file; }

  /// Returns the i8 global with the constant's bytes, aligned to 64 bytes, in row-major order or in panels.
  llvm::GlobalVariable *get(llvm::Module &code, ConstantOp constant, std::optional<PanelLayout> panels = {});

  /// Removes constants that no code reads. Regions get the addresses of all constants, also of those that only kernels read, in
  /// panels.
  void removeUnread();

  /// Appends the constants that were kept back to a 64-bit ELF object, where their symbols expect them. Frees them in the
  /// graph, which cannot be compiled or run any more, so that memory holds them once. Returns an error message, or an empty
  /// string.
  std::string appendTo(std::string &object);

  /// True if appendTo supports objects of the target.
  static bool canAppendTo(const llvm::Triple &target);

private:
  /// A constant as it is stored.
  struct Stored {
    mlir::ElementsAttr value;
    std::optional<PanelLayout> panels;
  };
  /// Appends a constant's bytes to a string.
  static void append(const Stored &stored, std::string &to);

  bool keepsAll;
  const WeightsFile *file;
  std::map<std::pair<const void *, std::optional<PanelLayout>>, llvm::GlobalVariable *> globals; // by attribute and order
  llvm::StringMap<Stored> waiting;                                                               // by symbol
};

} // namespace lathe

#endif

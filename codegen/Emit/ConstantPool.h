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

/// Takes the next bytes of an output. Returns false if it cannot.
using ByteSink = llvm::function_ref<bool(llvm::StringRef bytes)>;

/// One global for each different constant, which all versions and CPU levels share. LLVM and the linker get no data for large
/// constants, because they would keep several copies.
class ConstantPool {
public:
  /// Keeps larger constants back until the output is written, unless it `keepsAll`, which code that does not become an object
  /// needs. Constants in `file`, which may be null, do not enter the pool.
  explicit ConstantPool(bool keepsAll = true, const WeightsFile *file = nullptr) : keepsAll(keepsAll), file(file) {}

  /// Returns the file that some constants are in; null if there is none.
  const WeightsFile *getFile() const { return file; }

  /// Returns the i8 global with the constant's bytes, aligned to 64 bytes, in row-major order or in panels.
  llvm::GlobalVariable *get(llvm::Module &code, ConstantOp constant, std::optional<PanelLayout> panels = {});

  /// Removes constants that no code reads. Regions get the addresses of all constants, also of those that only kernels read, in
  /// panels.
  void removeUnread();

  /// Writes a 64-bit ELF object with the constants that were kept back, where its symbols expect them. Frees them in the graph,
  /// which cannot be compiled or run any more. Returns an error message, or an empty string, as if `write` returns false.
  std::string writeObject(std::string object, ByteSink write);

  using Linker = llvm::function_ref<std::string(llvm::StringRef object, std::string &error)>;
  /// Writes what a linker makes of such an object, likewise.
  std::string writeShared(std::string object, Linker link, ByteSink write);

  /// Returns the bytes of the constants that are kept back.
  uint64_t keptBytes() const;

  /// True if writeObject supports objects of the target.
  static bool canAppendTo(const llvm::Triple &target);

private:
  /// A constant as it is stored.
  struct Stored {
    mlir::ElementsAttr value;
    std::optional<PanelLayout> panels;
  };
  /// A hole in an output for constants from `begin` on. The bytes of the output from `gap` on follow at `end`.
  struct Hole {
    uint64_t gap, begin, end;
  };
  using Places = std::map<uint64_t, llvm::StringRef>; // symbols by their offsets in the section of constants

  static bool write(const Stored &stored, ByteSink write);
  std::string fill(llvm::StringRef output, const Hole &hole, const Places &places, ByteSink write);

  bool keepsAll;
  const WeightsFile *file;
  std::map<std::pair<const void *, std::optional<PanelLayout>>, llvm::GlobalVariable *> globals; // by attribute and order
  llvm::StringMap<Stored> waiting;                                                               // by symbol
};

} // namespace lathe

#endif

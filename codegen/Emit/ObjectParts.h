// Compiles a module to objects on several threads.
#ifndef LATHE_CODEGEN_EMIT_OBJECTPARTS_H
#define LATHE_CODEGEN_EMIT_OBJECTPARTS_H

#include "codegen/Emit/ModuleParts.h"
#include "codegen/Points/VectorTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {

/// The parts of a module, each in a context of its own, and then their objects. The first part is the module itself: on one
/// core, to write and read a part takes a tenth of the time of its optimisation.
class ObjectParts {
public:
  /// Divides a module whose tiny kernels are inlined already, and which must outlive the parts. `jobs` is the number of
  /// threads; 0 for one on each core.
  ObjectParts(llvm::Module &module, unsigned count, const VectorTarget &target, unsigned optLevel, unsigned jobs);

  void optimize();
  /// Returns false if the target has no writer for objects.
  bool compile();
  /// Returns the objects, in the order of the parts.
  std::vector<std::string> take();

private:
  struct Part {
    std::string bitcode, object;
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<llvm::Module> own; // of parts but the first
    llvm::Module *module = nullptr;
    bool isWritten = false;
  };

  void forEach(llvm::function_ref<void(Part &)> function);
  void read(Part &part) const;

  std::vector<Part> parts;
  VectorTarget target;
  unsigned optLevel, jobs;
};

} // namespace lathe

#endif

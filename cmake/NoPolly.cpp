// Stands for Polly, an optimiser that link-time optimisation would use and lathec does not. For LATHE_STATIC.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", "", [](llvm::PassBuilder &) {}};
}

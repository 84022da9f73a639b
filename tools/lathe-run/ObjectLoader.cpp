#include "tools/lathe-run/ObjectLoader.h"
#include "codegen/Emit/Targets.h"
#include "lib/Compiler/Link.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <dlfcn.h>

using namespace lathe;

/// Returns why this CPU cannot run code of an architecture, or an empty string.
static std::string foreignCode(const std::string &what, llvm::Triple::ArchType architecture) {
  llvm::Triple::ArchType own = llvm::Triple(llvm::sys::getProcessTriple()).getArch();
  if (architecture == own)
    return "";
  return what + " is code for " + llvm::Triple::getArchTypeName(architecture).str() + ", which this CPU, " +
         llvm::Triple::getArchTypeName(own).str() + ", cannot run";
}

std::string foreignTarget(const std::string &specs) {
  std::string error; // set for an unknown target, which the compiler reports
  for (const VectorTarget &target : parseTargets(specs, error).cpus)
    if (std::string reason = foreignCode("target '" + specs + "'", llvm::Triple(target.triple).getArch()); !reason.empty())
      return reason + "; compile with lathec for this CPU, or run the graph with --interpret";
  return "";
}

/// Returns the exported function NAME_info of an object. It is the shortest of all symbols with this ending, since a function
/// @f_info has NAME_f_info.
static std::string infoSymbol(const std::string &path, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    error = "cannot read '" + path + "': " + buffer.getError().message();
    return "";
  }
  auto object = llvm::object::ObjectFile::createObjectFile((*buffer)->getMemBufferRef());
  if (!object) {
    error = "'" + path + "' is not an object file: " + llvm::toString(object.takeError());
    return "";
  }
  if (error = foreignCode("'" + path + "'", (*object)->getArch()); !error.empty())
    return "";
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get());
  auto search = [&](auto symbols) {
    std::string shortest;
    for (const llvm::object::SymbolRef &symbol : symbols) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      llvm::Expected<uint32_t> flags = symbol.getFlags();
      if (!name || !flags) {
        llvm::consumeError(name.takeError());
        llvm::consumeError(flags.takeError());
        continue;
      }
      if ((*flags & llvm::object::SymbolRef::SF_Global) && !(*flags & llvm::object::SymbolRef::SF_Undefined) &&
          name->ends_with("_info") && (shortest.empty() || name->size() < shortest.size()))
        shortest = name->str();
    }
    return shortest;
  };
  std::string name = search((*object)->symbols());
  if (name.empty() && elf)
    name = search(elf->getDynamicSymbolIterators());
  if (name.empty())
    error = "'" + path + "' was not made by lathec: it exports no NAME_info";
  return name;
}

LoadedObject::~LoadedObject() {
  if (handle)
    dlclose(handle);
}

const lathe_module_info *LoadedObject::openShared(const std::string &path, const std::string &symbol, std::string &error) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    error = dlerror();
    if (llvm::StringRef(error).contains("undefined symbol"))
      error += "; use --library=FILE.so for the functions that the graph calls";
    return nullptr;
  }
  auto get = reinterpret_cast<const lathe_module_info *(*)()>(dlsym(handle, symbol.c_str()));
  const lathe_module_info *info = get ? get() : nullptr;
  if (!info || info->magic != LATHE_INFO_MAGIC) {
    error = "'" + path + "' was not made by lathec";
    return nullptr;
  }
  if (info->abi_version == LATHE_ABI_VERSION)
    return info;
  error =
      "the object has ABI version " + std::to_string(info->abi_version) + ", lathe-run " + std::to_string(LATHE_ABI_VERSION);
  return nullptr;
}

const lathe_module_info *LoadedObject::open(const std::string &path, std::string &error) {
  std::string symbol = infoSymbol(path, error);
  if (symbol.empty())
    return nullptr;
  if (llvm::StringRef(path).ends_with(".so"))
    return openShared(path.find('/') == std::string::npos ? "./" + path : path, symbol, error);
  TemporaryFile shared(".so");
  return linkShared(path, shared.path, error) ? openShared(shared.path, symbol, error) : nullptr;
}

const lathe_module_info *LoadedObject::openBytes(const std::string &bytes, std::string &error) {
  TemporaryFile object(".o");
  return object.write(bytes, error) ? open(object.path, error) : nullptr;
}

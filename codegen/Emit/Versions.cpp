#include "codegen/Emit/Versions.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;

VersionList lathe::versionsOf(ModuleOp module, StringRef name) {
  VersionList versions;
  for (auto candidate : module.getOps<func::FuncOp>()) {
    auto base = candidate->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
    if (!base || base.getValue() != name)
      continue;
    Version version;
    version.function = candidate;
    for (NamedAttribute fixed : candidate->getAttrOfType<DictionaryAttr>(kFixedDimsAttr)) {
      Dim size = Dim::fromAttr(cast<DimAttr>(fixed.getValue()));
      version.fixed[fixed.getName().str()] = size;
      version.name += (version.name.empty() ? "" : ",") + fixed.getName().str() + "=" + size.str();
    }
    versions.push_back(std::move(version));
  }
  versions.push_back({"general", {}, module.lookupSymbol<func::FuncOp>(name)});
  return versions;
}

SmallVector<KernelOp> lathe::kernelsOf(const Version &version) {
  func::FuncOp function = version.function;
  SmallVector<KernelOp> kernels;
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    kernels.push_back(kernel);
    return WalkResult::skip(); // of those in strips, which their kernel calls
  });
  return kernels;
}

/// Returns the bytes that an attribute of the versions states, in one formula. A version that packs buffers by its fixed sizes
/// may need more than the general one. The difference is added for all sizes.
static Dim bytesOfAll(ArrayRef<Version> versions, StringRef attribute) {
  auto bytesOf = [&](func::FuncOp function) {
    auto bytes = function->getAttrOfType<DimAttr>(attribute);
    return bytes ? Dim::fromAttr(bytes) : Dim(0);
  };
  Dim all = bytesOf(versions.back().function);
  for (const Version &version : versions) {
    Dim missing = bytesOf(version.function) - all.substitute(version.fixed);
    for (auto &[monomial, coefficient] : missing.getTerms()) {
      Dim more(std::max<int64_t>(coefficient, 0));
      for (const std::string &name : monomial)
        more = more * Dim::named(name);
      all = all + more;
    }
  }
  return all;
}

Dim lathe::arenaOf(ArrayRef<Version> versions) { return bytesOfAll(versions, kWorkspaceAttr); }

Dim lathe::coldArenaOf(ArrayRef<Version> versions) { return bytesOfAll(versions, kColdWorkspaceAttr); }

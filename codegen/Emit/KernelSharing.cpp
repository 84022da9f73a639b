#include "codegen/Emit/KernelSharing.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Schedules.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lathe;

bool KernelSharing::isExported(func::FuncOp function) const {
  StringRef name = function.getSymName();
  if (auto base = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr))
    name = base.getValue();
  return llvm::any_of(signature.functions, [&](const Signature &entry) { return entry.name == name; });
}

LogicalResult KernelSharing::emitKernels() {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isExported(function))
      continue;
    SmallVector<KernelOp> inside;
    function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
      inside.push_back(kernel);
      return WalkResult::skip(); // of those in strips, which their kernel calls
    });
    for (KernelOp kernel : inside)
      if (failed(emitKernel(kernel)))
        return failure();
    calls += inside.size();
  }
  return success();
}

LogicalResult KernelSharing::lowerKernels(KernelText text, std::string &into, LLVM::DIEmissionKind lines) {
  if (failed(mlir::verify(*kernelModule)))
    return failure();
  if (text == KernelText::Kernels)
    llvm::raw_string_ostream(into) << *kernelModule;
  if (failed(lowerToLLVMDialect(*kernelModule)))
    return kernelModule->emitError("kernels did not lower to LLVM");
  attachDebugLines(*kernelModule, signature.source, signature.debugFolder, lines);
  if (text == KernelText::LLVM)
    llvm::raw_string_ostream(into) << *kernelModule;
  return success();
}

/// Returns the schedules of a kernel and of those in its strips, as text.
std::string KernelSharing::schedulesOf(KernelOp kernel) const {
  std::string text;
  kernel->walk([&](KernelOp each) {
    if (ScheduleAttr schedule = scheduleFor(each, targetName()))
      text += textOf(schedule);
  });
  return text;
}

LogicalResult KernelSharing::emitKernel(KernelOp kernel) {
  nameForProfiles(kernel);
  if (ExternOp op = externOf(kernel)) {
    kernels[kernel] = {op.getCallee().str(), {}};
    explain(kernel.getLoc(), "kernels", "the application provides {}: one call on the calling thread", op.getCallee().str());
    return success();
  }
  if (CollectiveOpInterface op = collectiveOf(kernel)) {
    kernels[kernel] = {op->getName().stripDialect().str(), {}};
    explain(kernel.getLoc(), "kernels", "the communicator runs {} over {}", op->getName().stripDialect().str(),
            op.getAxis().str());
    return success();
  }
  if (waitOf(kernel)) {
    kernels[kernel] = {"collective_wait", {}};
    return success();
  }
  if (Operation *report = reportOf(kernel)) {
    kernels[kernel] = {report->getName().stripDialect().str(), {}};
    return success();
  }
  std::string structure = structureOf(kernel, machine()) + schedulesOf(kernel);
  auto it = known.find(structure);
  if (it == known.end()) {
    std::string name = codeNameOf(kernel, machine());
    while (!names.insert(name).second) // kernels of equal structure may have different schedules
      name += "_";
    FailureOr<KernelSymbol> symbol = emitDistinct(kernel, name);
    if (failed(symbol))
      return failure();
    it = known.emplace(structure, std::move(*symbol)).first;
  } else
    explain(kernel.getLoc(), "kernels", "shares the code of {}", it->second.name);
  kernels[kernel] = it->second;
  return success();
}

#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/Signature.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using namespace lathe;

void lathe::attachDebugLines(ModuleOp module, StringRef source, StringRef folder, LLVM::DIEmissionKind kind) {
  MLIRContext *context = module.getContext();
  auto fileOf = [&](const SourcePlace &place) {
    return LLVM::DIFileAttr::get(context, place.file.empty() ? source : StringRef(place.file), folder);
  };
  auto unit =
      LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C11, fileOf({}),
                                   StringAttr::get(context, "lathe"), /*isOptimized=*/true, kind, LLVM::DINameTableKind::None);
  auto type = LLVM::DISubroutineTypeAttr::get(context, {LLVM::DINullTypeAttr::get(context)});
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    SourcePlace start = sourcePlace(function.getLoc());
    auto name = StringAttr::get(context, function.getName());
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, fileOf(start), name, name, fileOf(start), start.line,
        start.line,
        LLVM::DISubprogramFlags::LocalToUnit | LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type,
        /*retainedNodes=*/{}, /*annotations=*/{});
    auto at = [&](Location location) -> Location {
      SourcePlace place = sourcePlace(location);
      if (!place.line)
        place = start;
      Location line = FileLineColLoc::get(context, source, place.line, place.column);
      if (fileOf(place) == fileOf(start))
        return line;
      return FusedLoc::get(context, {line}, LLVM::DILexicalBlockFileAttr::get(context, subprogram, fileOf(place), 0));
    };
    Location body = FileLineColLoc::get(context, source, start.line, start.column);
    function->setLoc(FusedLoc::get(context, {body}, subprogram));
    function.getBody().walk([&](Operation *op) { op->setLoc(at(op->getLoc())); });
    for (Block &block : function.getBody())
      for (BlockArgument argument : block.getArguments())
        argument.setLoc(body);
  }
}

/// Renames the annotation of loops, which the lowering keeps on their branches under another dialect's name.
static void takeLoopAnnotations(ModuleOp module) {
  constexpr StringLiteral kForeign = "llvm.loop_annotation";
  module.walk([&](LLVM::BrOp branch) {
    if (auto annotation = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(kForeign)) {
      branch.setLoopAnnotationAttr(annotation);
      branch->removeAttr(kForeign);
    }
  });
}

LogicalResult lathe::lowerToLLVMDialect(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(module)))
    return failure();
  takeLoopAnnotations(module);
  return success();
}

std::unique_ptr<llvm::Module> lathe::translateToLLVM(ModuleOp module, llvm::LLVMContext &context, StringRef source) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerNVVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context, source);
  if (result)
    result->setSourceFileName(source.str());
  return result;
}

#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/Signature.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
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

/// A conversion that changes ops at once, in half of the time: no pattern here is tried that fails.
static ConversionConfig withoutRollback() {
  ConversionConfig config;
  config.allowPatternRollback = false;
  return config;
}

/// Converts all ops to the LLVM dialect in one conversion. MLIR's passes, one for each dialect, visit each op several times,
/// and that of vectors first simplifies all of the code, as LLVM does anyway.
static LogicalResult convertOps(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateVectorToLLVMConversionPatterns(types, patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  return applyFullConversion(module, target, std::move(patterns), withoutRollback());
}

LogicalResult lathe::lowerToLLVMDialect(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createCSEPass());
  SCFToControlFlowPassOptions loops;
  loops.allowPatternRollback = false;
  pm.addPass(createSCFToControlFlowPass(loops));
  if (failed(pm.run(module)) || failed(convertOps(module)))
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

#include "Compiled.h"
#include "codegen/Math/Math.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace {

[[noreturn]] void die(const std::string &message) {
  llvm::errs() << "math-accuracy: " << message << "\n";
  exit(2);
}

template <typename T>
T orDie(llvm::Expected<T> value) {
  if (!value)
    die(llvm::toString(value.takeError()));
  return std::move(*value);
}

/// func @kernel(a, b, c, out, count): a loop of loads, the function and a store.
void buildKernel(ModuleOp module, const std::string &function, unsigned arity, Type type, unsigned lanes,
                 const lathe::elementary::MathTarget &target) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(module.getContext()), count = builder.getI64Type();
  auto kernel =
      func::FuncOp::create(builder, loc, "kernel", builder.getFunctionType({pointer, pointer, pointer, pointer, count}, {}));
  Block *entry = kernel.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value step = arith::ConstantIntOp::create(builder, loc, lanes, 64);
  auto loop = scf::ForOp::create(builder, loc, zero, entry->getArgument(4), step);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(loop.getBody());
  auto place = [&](unsigned argument) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer, type, entry->getArgument(argument),
                               ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
  };
  Type loaded = lanes > 1 ? Type(VectorType::get(lanes, type)) : type;
  unsigned alignment = type.getIntOrFloatBitWidth() / 8;
  llvm::SmallVector<Value> operands;
  for (unsigned i = 0; i < arity; ++i)
    operands.push_back(LLVM::LoadOp::create(builder, loc, loaded, place(i), alignment));
  auto [name, order] = llvm::StringRef(function).rsplit('_'); // polygamma_1
  unsigned number = 0;
  bool hasOrder = !order.getAsInteger(10, number);
  Value result =
      lathe::elementary::emitMath(builder, loc, hasOrder ? name : llvm::StringRef(function), operands, target, number);
  if (!result)
    die("no function " + function);
  LLVM::StoreOp::create(builder, loc, result, place(3), alignment);
}

void lower(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(module)))
    die("lowering failed");
}

llvm::SmallVector<char, 0> compileObject(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("prefer-vector-width", "512");
  }
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emission;
  if (machine.addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    die("the target writes no object files");
  emission.run(module);
  if (const char *path = getenv("LATHE_MATH_DUMP")) { // to read the code of one function
    std::error_code error;
    llvm::raw_fd_ostream(path, error).write(object.data(), object.size());
  }
  return object;
}

std::string undefinedIn(llvm::MemoryBufferRef object) {
  std::string names;
  std::unique_ptr<llvm::object::ObjectFile> file = orDie(llvm::object::ObjectFile::createObjectFile(object));
  for (const llvm::object::SymbolRef &symbol : file->symbols()) {
    llvm::StringRef name = orDie(symbol.getName());
    if ((orDie(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined) && !name.empty())
      names += name.str() + " ";
  }
  return names;
}

bool machineRuns(const std::string &cpu) {
  if (cpu == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  return cpu == "x86-64-v3" ? __builtin_cpu_supports("x86-64-v3") : __builtin_cpu_supports("x86-64-v2");
}

MLIRContext &context() {
  static MLIRContext instance(MLIRContext::Threading::DISABLED);
  static bool ready = [] {
    instance.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                         vector::VectorDialect>();
    registerBuiltinDialectTranslation(instance);
    registerLLVMDialectTranslation(instance);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)ready;
  return instance;
}

} // namespace

Compiled::Compiled(const std::string &function, unsigned arity, bool isDouble, const Variant &variant) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context()));
  Type type = isDouble ? Type(Float64Type::get(&context())) : Type(Float32Type::get(&context()));
  unsigned lanes = isDouble && variant.lanes > 1 ? variant.lanes / 2 : variant.lanes;
  llvm::StringRef cpu = variant.cpu;
  lathe::elementary::MathTarget features{variant.hasFMA, /*hasF16C=*/false, /*hasScale=*/cpu == "x86-64-v4",
                                         /*lookupLanes=*/cpu == "x86-64-v4" ? 16
                                         : cpu == "x86-64-v3"               ? 8
                                                                            : 0};
  features.isFast = variant.isFast;
  buildKernel(*module, function, arity, type, lanes, features);
  if (failed(verify(*module)))
    die("invalid code for " + function);
  lower(*module);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, *llvmContext);
  if (!translated)
    die("no LLVM IR for " + function);
  auto target = orDie(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCPU(variant.cpu).getFeatures() = llvm::SubtargetFeatures();
  auto machine = orDie(target.createTargetMachine());
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(compileObject(*translated, *machine), false);
  missing = undefinedIn(buffer->getMemBufferRef());
  if (!missing.empty() || !machineRuns(variant.cpu))
    return;
  jit = orDie(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(target)).create());
  if (llvm::Error error = jit->addObjectFile(std::move(buffer)))
    die(llvm::toString(std::move(error)));
  entry = orDie(jit->lookup("kernel")).toPtr<Entry>();
}

#include "codegen/Emit/DeviceCode.h"
#include "codegen/Emit/KernelSharing.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Predication.h"
#include "codegen/Emit/Ptxas.h"
#include "codegen/GPU/Vectors.h"
#include "codegen/Kernels/LowerToNests.h"
#include "lathe/runtime.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The kernels of all exported functions, as code for one architecture.
class ArchitectureEmitter : public KernelSharing {
public:
  ArchitectureEmitter(ModuleOp module, const ModuleSignature &signature, const gpu::Target &target)
      : KernelSharing(module, signature), target(target), kernelModule(ModuleOp::create(module.getLoc())) {}

  std::vector<DeviceKernel> table;

  /// The kernels as PTX; empty with a diagnostic on failure.
  std::string lower(unsigned optLevel, KernelText text, std::string &into) {
    if (failed(mlir::verify(*kernelModule)))
      return "";
    if (text == KernelText::Kernels)
      llvm::raw_string_ostream(into) << *kernelModule;
    if (failed(lowerToLLVMDialect(*kernelModule)))
      return give("kernels did not lower to LLVM");
    attachDebugLines(*kernelModule, signature.source, LLVM::DIEmissionKind::DebugDirectivesOnly);
    if (text == KernelText::LLVM)
      llvm::raw_string_ostream(into) << *kernelModule;
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> code = translateToLLVM(*kernelModule, context, signature.source);
    if (!code)
      return give("kernels did not become LLVM IR");
    std::string error;
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target.thread(), std::max(optLevel, 2u), error);
    if (!machine)
      return give("LLVM has no code generator for " + target.name() + ": " + error);
    code->setTargetTriple(machine->getTargetTriple());
    code->setDataLayout(machine->createDataLayout());
    optimize(*code, *machine, std::max(optLevel, 1u));
    llvm::SmallString<0> ptx;
    llvm::raw_svector_ostream out(ptx);
    if (!writeCode(*code, *machine, /*assembly=*/true, out))
      return give("LLVM does not write PTX");
    return ptx.str().str();
  }

private:
  std::string give(const Twine &why) {
    module.emitError(why);
    return "";
  }
  void prepare(KernelOp kernel) override {
    gpu::markUnaligned(kernel);
    if (unsigned depth = predicateDepth(kernel))
      kernel->setAttr(gpu::kPredicatesAttr, Builder(kernel.getContext()).getI64IntegerAttr(depth));
  }

  FailureOr<KernelSymbol> emitDistinct(KernelOp kernel, const std::string &name) override {
    KernelOp nests = kernel.clone();
    OwningOpRef<KernelOp> owner(nests);
    if (failed(lowerToNests(nests, [&](Operation *op) { return gpu::hasOwnEmitter(op, target); })))
      return failure();
    FailureOr<gpu::KernelCode> code = gpu::emitKernel(nests, *kernelModule, name, target);
    if (failed(code))
      return failure();
    explain(kernel.getLoc(), "kernels", "{} for {}: {}, blocks of {} threads", name, target.name(), code->form, code->threads);
    KernelSymbol symbol{name, code->symbols, code->extent, code->unit};
    symbol.number = table.size();
    table.push_back({name, code->words, code->threads, /*sharedBytes=*/0});
    if (code->second) {
      symbol.second = {code->second->extent, code->second->unit};
      symbol.scratchBytes = code->scratchBytes;
      table.push_back({code->second->function.getSymName().str(), code->words, code->second->threads, /*sharedBytes=*/0});
    }
    return symbol;
  }

  gpu::Target target;
  OwningOpRef<ModuleOp> kernelModule;
};
} // namespace

std::optional<DeviceCode> lathe::emitDeviceCode(ModuleOp module, const ModuleSignature &signature,
                                                llvm::ArrayRef<gpu::Target> targets, const DeviceOptions &options,
                                                KernelText text, std::string &into) {
  DeviceCode result;
  for (const gpu::Target &target : targets) {
    ArchitectureEmitter emitter(module, signature, target);
    if (failed(emitter.emitKernels()))
      return std::nullopt;
    std::string ptx = emitter.lower(options.optLevel, text, into);
    if (ptx.empty())
      return std::nullopt;
    if (result.images.empty()) {
      result.kernels = std::move(emitter.kernels);
      result.table = std::move(emitter.table);
    }
    if (!options.ptxas.empty()) {
      std::string error, cubin = assemblePtx(options.ptxas, ptx, target, std::max(options.optLevel, 1u), error);
      if (cubin.empty()) // a program older than the target, say; drivers compile PTX
        module.emitWarning("there is no cubin for cuda:") << target.name() << ": " << error;
      else
        result.images.push_back({target, /*isCubin=*/true, std::move(cubin)});
    }
    result.images.push_back({target, /*isCubin=*/false, std::move(ptx)});
  }
  return result;
}

llvm::GlobalVariable *lathe::emitDeviceTables(EmitContext &emit, const DeviceCode &code) {
  auto i32 = [&](int64_t value) { return llvm::ConstantInt::get(emit.i32, value); };
  auto record = [&](llvm::ArrayRef<llvm::Constant *> fields) -> llvm::Constant * {
    return llvm::ConstantStruct::getAnon(emit.context, fields);
  };
  auto global = [&](llvm::Constant *value, llvm::StringRef name) {
    auto *made = new llvm::GlobalVariable(emit.module, value->getType(), true, llvm::GlobalValue::InternalLinkage, value, name);
    made->setAlignment(llvm::Align(8));
    return made;
  };
  auto table = [&](llvm::ArrayRef<llvm::Constant *> rows, llvm::StringRef name) -> llvm::Constant * {
    if (rows.empty())
      return llvm::ConstantPointerNull::get(llvm::PointerType::get(emit.context, 0));
    return global(llvm::ConstantArray::get(llvm::ArrayType::get(rows.front()->getType(), rows.size()), rows), name);
  };
  llvm::SmallVector<llvm::Constant *> images, kernels;
  for (const DeviceImage &image : code.images) {
    auto *data = global(llvm::ConstantDataArray::getString(emit.context, image.data, /*AddNull=*/!image.isCubin), "image");
    uint64_t size = image.data.size() + !image.isCubin;
    images.push_back(record({i32(image.isCubin), i32(image.target.capability), i32(image.target.isExact), i32(0),
                             llvm::ConstantInt::get(emit.i64, size), data}));
  }
  for (const DeviceKernel &kernel : code.table)
    kernels.push_back(
        record({emit.string(kernel.name), i32(kernel.words), i32(kernel.threads), i32(kernel.sharedBytes), i32(0)}));
  return global(record({i32(LATHE_ABI_VERSION), i32(images.size()), i32(kernels.size()), i32(0), table(images, "images"),
                        table(kernels, "device.kernels")}),
                "device");
}

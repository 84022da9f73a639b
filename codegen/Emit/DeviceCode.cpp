// The GPU code of an object, as constants in the layout of lathe/runtime.h:
//
//   lathe_device_code: images
//     image per architecture: PTX as text, or a cubin; its table of kernels
//       kernel: name, words of the closure, threads, shared memory, TMA descriptors
//
// Kernels are emitted once per architecture, through the NVPTX back end. The host's code is the same for all images, so that
// all tables list the same kernels in the same order.
#include "codegen/Emit/DeviceCode.h"
#include "codegen/Emit/KernelSharing.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Ptxas.h"
#include "codegen/GPU/Forms.h"
#include "lathe/runtime.h"
#include "lib/Support/Explain.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Emits the kernels of all exported functions for one architecture.
class ArchitectureEmitter : public KernelSharing {
public:
  ArchitectureEmitter(ModuleOp module, const ModuleSignature &signature, const gpu::Target &target)
      : KernelSharing(module, signature), target(target) {}

  std::vector<DeviceKernel> table;

  /// Returns the kernels as PTX; an empty string with a diagnostic on failure.
  std::string lower(unsigned optLevel, KernelText text, std::string &into) {
    if (failed(lowerKernels(text, into, LLVM::DIEmissionKind::DebugDirectivesOnly)))
      return "";
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> code = translateToLLVM(*kernelModule, context, signature.source);
    if (!code)
      return fail("kernels did not become LLVM IR");
    std::string error;
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target.thread(), std::max(optLevel, 2u), error);
    if (!machine)
      return fail("LLVM has no code generator for " + target.name() + ": " + error);
    code->setTargetTriple(machine->getTargetTriple());
    code->setDataLayout(machine->createDataLayout());
    markAssemblyConvergent(*code);
    inlineKernels(*code, *machine, std::max(optLevel, 1u));
    optimizeFunctions(*code, *machine, std::max(optLevel, 1u));
    llvm::SmallString<0> ptx;
    llvm::raw_svector_ostream out(ptx);
    if (!writeCode(*code, *machine, /*assembly=*/true, out))
      return fail("LLVM does not write PTX");
    return ptx.str().str();
  }

private:
  std::string fail(const Twine &why) {
    module.emitError(why);
    return "";
  }
  /// Marks inline assembly as convergent, since MLIR cannot: threads execute it together, and no pass may move it into or out
  /// of branches.
  static void markAssemblyConvergent(llvm::Module &code) {
    for (llvm::Function &function : code)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
          call->setConvergent();
  }

  MachineKind machine() const override { return MachineKind::GPU; }
  std::string targetName() const override { return gpu::Machine::nameOf(target); }

  FailureOr<KernelSymbol> emitDistinct(KernelOp kernel, const std::string &name) override {
    FailureOr<gpu::KernelCode> code = gpu::emitKernel(kernel, *kernelModule, name, target);
    if (failed(code))
      return failure();
    if (code->words > gpu::kMostWords)
      return kernel.emitError("a GPU kernel takes at most ") << gpu::kMostWords << " pointers and sizes, got " << code->words;
    target.isWide |= code->words > gpu::kUsualWords;
    explain(kernel.getLoc(), "kernels", "{} for {}: {}, blocks of {} threads", name, target.name(), code->form, code->threads);
    KernelSymbol symbol{name, code->symbols, code->extent, code->unit};
    symbol.number = table.size();
    table.push_back({name, code->words, code->threads, code->sharedBytes, code->isPersistent, code->maps});
    if (code->second) {
      symbol.second = {code->second->extent, code->second->unit};
      symbol.scratchBytes = code->scratchBytes;
      table.push_back({code->second->function.getSymName().str(), code->words, code->second->threads});
    }
    return symbol;
  }

  gpu::Target target;
};
} // namespace

/// True if calls of the kernels are equal: the host computes the number of blocks and the words once, for the kernels of all
/// images.
static bool areCalledAlike(const KernelSymbols &some, const KernelSymbols &others) {
  return llvm::all_of(some, [&](const auto &entry) {
    const KernelSymbol &a = entry.second, &b = others.find(entry.first)->second;
    bool hasSecond = a.second && b.second && a.second->extent == b.second->extent && a.second->unit == b.second->unit;
    return a.symbols == b.symbols && a.extent == b.extent && a.unit == b.unit && a.number == b.number &&
           a.scratchBytes == b.scratchBytes && (hasSecond || (!a.second && !b.second));
  });
}

LogicalResult lathe::checkDeviceKernels(ModuleOp module) {
  WalkResult walked = module.walk([](KernelOp kernel) {
    unsigned pointers = kernel.getNumOperands() + kernel.getNumResults();
    if (pointers <= gpu::kMostWords)
      return WalkResult::advance();
    kernel.emitError("a GPU kernel reads and writes at most ")
        << gpu::kMostWords << " tensors, this one " << pointers << "; split it into several ops";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

std::optional<DeviceCode> lathe::emitDeviceCode(ModuleOp module, const ModuleSignature &signature, const Targets &targets,
                                                unsigned optLevel, KernelText text, std::string &into) {
  DeviceCode result;
  for (const ImagePlan &plan : targets.images()) {
    const gpu::Target &target = plan.target;
    ArchitectureEmitter emitter(module, signature, target);
    if (failed(emitter.emitKernels()))
      return std::nullopt;
    std::string ptx = emitter.lower(optLevel, plan.asPtx ? text : KernelText::None, into);
    if (ptx.empty())
      return std::nullopt;
    if (result.tables.empty())
      result.kernels = std::move(emitter.kernels);
    else if (!areCalledAlike(result.kernels, emitter.kernels))
      return module.emitError("kernels for cuda:")
                 << target.name()
                 << " have other blocks or parts than those of the first GPU target; a schedule file must agree for all of them",
             std::nullopt;
    unsigned table = result.tables.size();
    result.tables.push_back(std::move(emitter.table));
    if (plan.asCubin) {
      std::string error, cubin = assemblePtx(targets.ptxas, ptx, target, std::max(optLevel, 1u), error);
      if (cubin.empty()) // for example if ptxas is older than the target; drivers can compile the PTX
        module.emitWarning("there is no cubin for cuda:") << target.name() << ": " << error;
      else
        result.images.push_back({target, /*isCubin=*/true, std::move(cubin), table});
    }
    if (plan.asPtx)
      result.images.push_back({target, /*isCubin=*/false, std::move(ptx), table});
  }
  return result;
}

namespace {
/// Emits the tables as constants in the layout of lathe/runtime.h.
class TableEmitter {
public:
  explicit TableEmitter(EmitContext &emit) : emit(emit) {}

  llvm::GlobalVariable *code(const DeviceCode &code) {
    llvm::SmallVector<llvm::Constant *> images, tables;
    for (const std::vector<DeviceKernel> &kernels : code.tables)
      tables.push_back(table(llvm::map_to_vector(kernels, [&](const DeviceKernel &each) { return kernel(each); }), "kernels"));
    for (const DeviceImage &each : code.images)
      images.push_back(image(each, tables[each.table]));
    return global(
        record({i32(LATHE_ABI_VERSION), i32(images.size()), i32(code.tables.front().size()), i32(0), table(images, "images")}),
        "code");
  }

private:
  using Constants = llvm::ArrayRef<llvm::Constant *>;
  llvm::Constant *i32(uint64_t value) { return llvm::ConstantInt::get(emit.i32, value); }
  llvm::Constant *i64(uint64_t value) { return llvm::ConstantInt::get(emit.i64, value); }
  llvm::Constant *record(Constants fields) { return llvm::ConstantStruct::getAnon(emit.context, fields); }
  llvm::Constant *array(Constants values) {
    return llvm::ConstantArray::get(llvm::ArrayType::get(values.front()->getType(), values.size()), values);
  }
  llvm::GlobalVariable *global(llvm::Constant *value, llvm::StringRef name) {
    auto *made = new llvm::GlobalVariable(emit.module, value->getType(), true, llvm::GlobalValue::InternalLinkage, value,
                                          "device." + name);
    made->setAlignment(llvm::Align(8));
    return made;
  }
  llvm::Constant *table(Constants rows, llvm::StringRef name) {
    if (rows.empty())
      return llvm::ConstantPointerNull::get(llvm::PointerType::get(emit.context, 0));
    return global(array(rows), name);
  }
  llvm::Constant *image(const DeviceImage &image, llvm::Constant *kernels) {
    auto *data = global(llvm::ConstantDataArray::getString(emit.context, image.data, /*AddNull=*/!image.isCubin), "image");
    return record({i32(image.isCubin), i32(image.target.capability), i32(image.target.isExact), i32(0),
                   i64(image.data.size() + !image.isCubin), data, kernels});
  }
  llvm::Constant *kernel(const DeviceKernel &kernel) {
    auto maps = llvm::map_to_vector(kernel.maps, [&](const gpu::TensorMap &each) { return map(each); });
    return record({emit.string(kernel.name), i32(kernel.words), i32(kernel.threads), i32(kernel.sharedBytes),
                   i32(kernel.isPersistent), i32(maps.size()), i32(0), table(maps, "maps")});
  }
  llvm::Constant *map(const gpu::TensorMap &map);

  EmitContext &emit;
};

llvm::Constant *TableEmitter::map(const gpu::TensorMap &map) {
  constexpr size_t kMost = std::size(lathe_device_map().box);
  llvm::SmallVector<llvm::Constant *> extents(kMost, i64(1)), words(kMost, i32(UINT32_MAX)), boxes(kMost, i32(1)),
      steps(kMost, i32(1)), strides(kMost, i64(0));
  for (auto [i, dimension] : llvm::enumerate(map.dimensions)) {
    extents[i] = i64(dimension.extent);
    words[i] = i32(dimension.word ? *dimension.word : UINT32_MAX);
    boxes[i] = i32(dimension.box);
    steps[i] = i32(dimension.step);
    strides[i] = i64(dimension.stride);
  }
  return record({i32(map.word), i32(uint32_t(*elementOf(map.element))), i32(map.dimensions.size()), i32(map.swizzle),
                 i64(map.offset), array(extents), array(words), array(boxes), array(steps), i32(0), array(strides)});
}
} // namespace

llvm::GlobalVariable *lathe::emitDeviceTables(EmitContext &emit, const DeviceCode &code) {
  return TableEmitter(emit).code(code);
}

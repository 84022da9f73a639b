// The code of a version on the CPU, `lathe_status PREFIX_name.VERSION(args *)`:
//
//   load sizes, pointers and the profiler's hook            // at `start`
//   for kernel, in the order of the graph
//     closure = addresses of inputs and results, sizes
//     if it has enough work, and the call has a context:
//       context->parallel_for(kernel, closure, work items)  // threads take ranges of them
//     else: kernel(closure, 0, 0, work items)
//     with branches and loops around it as basic blocks     // ControlFlow.cpp
//   return 0
//
// Consecutive tiny kernels in loops are inlined. The profiler's hook is called around each kernel.
#include "codegen/Emit/VersionEmitter.h"
#include "dialects/Lathe/IR/Control.h"

using namespace lathe;

static DeviceCalls *pointerTo(std::optional<DeviceCalls> &device) { return device ? &*device : nullptr; }

VersionEmitter::VersionEmitter(EmitContext &emit, const Signature &signature, const Version &version,
                               const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable,
                               llvm::GlobalVariable *deviceCode)
    : frame(emit, signature, version, kernels, kernelTable, deviceCode ? ".device." : emit.levelSuffix + ".",
            /*baseline=*/deviceCode != nullptr),
      device(deviceCode ? std::optional<DeviceCalls>(std::in_place, frame, deviceCode) : std::nullopt),
      memory(frame, pointerTo(device)), reports(frame, pointerTo(device), memory),
      calls(frame, pointerTo(device), memory, reports) {}

llvm::Function *VersionEmitter::run() {
  if (device)
    device->begin(frame.block("setup"));
  else
    calls.loadProfiler();
  mlir::func::FuncOp graph = frame.version.function;
  emitBlock(graph.getBody().front());
  if (device)
    device->end();
  else
    builder.CreateRet(builder.getInt32(0));
  start.CreateBr(frame.body);
  return frame.function;
}

void VersionEmitter::emitBlock(mlir::Block &inside) {
  llvm::SmallVector<KernelOp> tiny; // consecutive ones
  auto emitTiny = [&] {
    if (!tiny.empty())
      calls.emitInlined(tiny);
    tiny.clear();
  };
  for (mlir::Operation &op : inside)
    if (auto kernel = mlir::dyn_cast<KernelOp>(op)) {
      if (calls.isInlined(kernel)) {
        tiny.push_back(kernel);
        continue;
      }
      emitTiny();
      calls.call(kernel);
    } else if (isControl(&op)) {
      emitTiny();
      emitControl(&op);
    }
  emitTiny();
}

llvm::Function *lathe::emitVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                   const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable) {
  return VersionEmitter(emit, signature, version, kernels, kernelTable).run();
}

llvm::Function *lathe::emitDeviceVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                         const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable,
                                         llvm::GlobalVariable *code) {
  return VersionEmitter(emit, signature, version, kernels, kernelTable, code).run();
}

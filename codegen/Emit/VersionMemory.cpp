// The addresses of a version's values, each computed once at the beginning of the function:
//
//   argument, result:  a pointer of the args struct, or the device's address for it
//   variable:          state + its offset
//   constant:          a global, or weights + its offset; on a device, the address of its copy
//   planned value:     workspace, or the cold workspace, + the plan's offset, which may depend on sizes
//
// The arguments of regions have the addresses that the branches and loops around them pass.
#include "codegen/Emit/VersionMemory.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lathe/runtime.h"

using namespace lathe;

llvm::Value *VersionMemory::statePointer(unsigned index) {
  if (!state)
    state = frame.load(emit.pointer, signature.stateOffset);
  llvm::IRBuilder<> &at = frame.isList ? builder : start;
  return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), state, emit.signature.state[index].offset);
}

llvm::Value *VersionMemory::weightPointer(uint64_t place) {
  if (!weights)
    weights = frame.load(emit.pointer, signature.weightsOffset);
  return start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), weights, place);
}

llvm::Value *VersionMemory::argumentPointer(bool isOutput, unsigned index) {
  const auto &states = isOutput ? signature.stateResults : signature.stateArguments;
  if (auto it = states.find(index); it != states.end())
    return statePointer(it->second);
  if (device)
    return device->argument(isOutput, index);
  for (const ArgumentField &field : signature.arguments)
    if (field.isOutput == isOutput && field.index == index)
      return frame.load(emit.pointer, field.offset);
  llvm_unreachable("every argument is a field or state");
}

llvm::Value *VersionMemory::moved(llvm::Value *pointer, const Dim &bytes) {
  return bytes.isStatic(0) ? pointer : builder.CreateGEP(builder.getInt8Ty(), pointer, emitDim(builder, bytes, frame.dims));
}

llvm::Value *VersionMemory::pointerOf(mlir::Value value) {
  if (Dim offset = viewOffset(value); !offset.isStatic(0))
    return moved(pointerOf(memoryOf(value)), offset); // for this use: an address in one branch does not dominate others
  value = memoryOf(value);
  if (llvm::Value *known = pointers.lookup(value))
    return known;
  llvm::Value *made = nullptr;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) { // of the function: those of regions are in `pointers`
    made = argumentPointer(false, argument.getArgNumber());
    if (frame.isList && signature.stateArguments.contains(argument.getArgNumber()))
      return made;
  } else if (auto constant = value.getDefiningOp<ConstantOp>()) {
    const WeightsFile *file = emit.constants.getFile();
    std::optional<uint64_t> place = file ? file->placeOf(constant.getValue()) : std::nullopt;
    made = place ? weightPointer(*place) : emit.constants.get(emit.module, constant);
    if (device)
      made = device->call(start, offsetof(lathe_device_api, constant), emit.pointer, {made, frame.bytesOf(value)});
  } else {
    auto buffers = value.getDefiningOp()->getAttrOfType<mlir::ArrayAttr>(kBuffersAttr);
    auto buffer = mlir::cast<BufferAttr>(buffers[mlir::cast<mlir::OpResult>(value).getResultNumber()]);
    made = bufferPointer(buffer);
    bool isPlanned = buffer.getKind() == BufferKind::Arena || buffer.getKind() == BufferKind::Cold;
    if (isUsedInPlace(buffer) || (!isPlanned && !Dim::fromAttr(buffer.getOffset()).isStatic(0)))
      return made; // for this use, as above
  }
  return pointers[value] = made;
}

/// True for a planned buffer or state in a list of calls whose offset is a number. Its address is computed for each use, as a
/// part of the instruction; registers hold no address from one kernel to another.
bool VersionMemory::isUsedInPlace(BufferAttr buffer) const {
  bool isArgument = buffer.getKind() == BufferKind::Result && !signature.stateResults.contains(buffer.getIndex());
  return frame.isList && !isArgument && Dim::fromAttr(buffer.getOffset()).isStatic();
}

llvm::Value *VersionMemory::bufferPointer(BufferAttr buffer) {
  if (buffer.getKind() == BufferKind::Yield)
    return moved(yields[buffer.getIndex()], Dim::fromAttr(buffer.getOffset()));
  if (buffer.getKind() == BufferKind::Result)
    return moved(argumentPointer(true, buffer.getIndex()), Dim::fromAttr(buffer.getOffset()));
  bool isCold = buffer.getKind() == BufferKind::Cold;
  llvm::Value *&memory = isCold ? frame.coldWorkspace : frame.workspace;
  if (!memory)
    memory = frame.load(emit.pointer, isCold ? signature.coldOffset : signature.workspaceOffset);
  llvm::IRBuilder<> &at = isUsedInPlace(buffer) ? builder : start;
  return at.CreateGEP(at.getInt8Ty(), memory, emitDim(at, Dim::fromAttr(buffer.getOffset()), frame.dims));
}

Pointers VersionMemory::pointersOf(mlir::ValueRange values) {
  return llvm::map_to_vector(values, [&](mlir::Value value) { return pointerOf(value); });
}

Pointers VersionMemory::operandsOf(KernelOp kernel) {
  Pointers pointers;
  for (auto [i, operand] : llvm::enumerate(kernel.getInputs())) {
    int64_t width = panelWidthOf(kernel, i);
    if (!width) {
      pointers.push_back(pointerOf(operand));
      continue;
    }
    pointers.push_back(emit.constants.get(emit.module, constantOf(operand), panelLayoutOf(kernel, i, width)));
  }
  return pointers;
}

/// Returns the addresses of an op's planned buffers, before its results have addresses: a loop's carries end in one of two
/// places.
Pointers VersionMemory::resultPointers(mlir::Operation *op) {
  return llvm::map_to_vector(op->getAttrOfType<mlir::ArrayAttr>(kBuffersAttr).getAsRange<BufferAttr>(),
                             [&](BufferAttr buffer) { return bufferPointer(buffer); });
}

llvm::Value *VersionMemory::hostData(mlir::Value value, unsigned number) {
  llvm::Value *place = pointerOf(value);
  if (!device)
    return place;
  llvm::Value *memory = device->hostMemory(frame.bytesOf(value), number);
  device->call(builder, offsetof(lathe_device_api, read), builder.getVoidTy(), {memory, place, frame.bytesOf(value)});
  return memory;
}

void VersionMemory::clear(llvm::Value *place, llvm::Value *bytes) {
  if (device)
    device->call(builder, offsetof(lathe_device_api, clear), builder.getVoidTy(), {place, bytes});
  else
    builder.CreateMemSet(place, builder.getInt8(0), bytes, llvm::MaybeAlign(1));
}

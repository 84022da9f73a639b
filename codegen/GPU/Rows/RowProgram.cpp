#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

RowProgram::RowProgram(KernelOp kernel, const FunctionPlace &place, unsigned threads, StringRef suffix, bool hasScratch)
    : kernel(kernel), place(place), symbols(symbolsOfBuffers(kernel)), thread(place.target.thread()), b(kernel.getContext()),
      frame(kernel, symbols,
            makeFunction(kernel, place.module, (place.name + suffix).str(), wordsOf(kernel, symbols) + hasScratch, threads),
            threads, thread, b),
      eval(frame.eval), loc(frame.loc) {}

static unsigned bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

unsigned lathe::gpu::lanesOf(KernelOp kernel, const Dim &row, Type element) {
  unsigned lanes = kernel->hasAttr(kUnalignedAttr) ? 1 : kVectorBytes / bytesOf(element);
  while (!row.dividedBy(lanes))
    lanes /= 2;
  return lanes;
}

Type lathe::gpu::bitsOf(Value tensor) {
  return IntegerType::get(tensor.getContext(), std::max(8u, getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth()));
}

Value RowProgram::load(Value from, Type element, Value place, unsigned lanes) {
  Type type = lanes > 1 ? Type(VectorType::get({lanes}, element)) : element;
  return LLVM::LoadOp::create(b, loc, type, frame.at(from, element, place), lanes * bytesOf(element));
}

void RowProgram::store(Value value, Value to, Type element, Value place, unsigned lanes) {
  LLVM::StoreOp::create(b, loc, value, frame.at(to, element, place), lanes * bytesOf(element));
}

Value RowProgram::wordAt(Value operand, Value place) {
  Value word = load(buffer(operand), getElementTypeOrSelf(operand.getType()), place);
  return word.getType().isInteger(64) ? word : arith::ExtSIOp::create(b, loc, b.getI64Type(), word).getResult();
}

Value RowProgram::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

Value RowProgram::choose(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }

/// True if a value of the kernel's block is in this buffer of the plan.
static bool isAt(Value value, BufferAttr buffer) {
  if (Operation *maker = value.getDefiningOp()) {
    auto buffers = maker->getAttrOfType<ArrayAttr>(kBuffersAttr);
    return buffers && buffers[cast<OpResult>(value).getResultNumber()] == buffer;
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent)) { // a variable and its update
    Attribute variable = function.getArgAttr(argument.getArgNumber(), kStateAttr);
    return variable && buffer.getKind() == BufferKind::Result &&
           function.getResultAttr(buffer.getIndex(), kStateAttr) == variable;
  }
  auto spares = parent->getAttrOfType<ArrayAttr>(kSparesAttr); // a carry that a step updates in place
  unsigned carry = argument.getArgNumber() - (isControl(parent) ? constsOf(parent).size() : 0);
  return spares && buffer.getKind() == BufferKind::Yield && int64_t(carry) == buffer.getIndex() && carry < spares.size() &&
         isa<UnitAttr>(spares[carry]);
}

void lathe::gpu::markInPlace(KernelOp kernel) {
  Operation *op = &kernel.getBody().front().front();
  auto old = isa<ScatterOp, DynamicUpdateSliceOp>(op) ? dyn_cast<BlockArgument>(op->getOperand(0)) : BlockArgument();
  if (!old)
    return;
  Value value = memoryOf(kernel.getInputs()[old.getArgNumber()]);
  auto buffer = cast<BufferAttr>(kernel->getAttrOfType<ArrayAttr>(kBuffersAttr)[0]);
  if (value.getParentBlock() == kernel->getBlock() && isAt(value, buffer))
    kernel->setAttr(kInPlaceAttr, UnitAttr::get(kernel.getContext()));
}

LogicalResult lathe::gpu::checkLanes(Operation *op, const LanesSchedule &schedule, unsigned most) {
  if (most % schedule.lanes != 0)
    return op->emitError("a schedule with 'lanes' ") << schedule.lanes << "; expected a power of two up to " << most;
  return success();
}

SmallVector<const Form *> lathe::gpu::rowForms() {
  return {&concatenationForm(), &scatterForm(),         &updateSliceForm(), &sortForm(),
          &scanForm(),          &triangularSolveForm(), &choleskyForm()};
}

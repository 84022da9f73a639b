// The code of kernels that run together strip by strip. Each of them has a function of its own, by its own schedule:
//
//   for strip                                              // threads share strips
//     for kernel
//       closure = {addresses of the strip's parts of inputs and results, or of values in the scratch area; sizes}
//       kernel(closure, all of its work items)
//
// The values between the kernels are in an area of the strip or, if there are many strips, of the calling thread's slot.
#include "codegen/CPU/Strips/Strips.h"
#include "codegen/CPU/Forms.h"
#include "codegen/CPU/Tiles/Frame.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Analysis/StripMemory.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// The functions of the kernels in a strip, in order.
using KernelCodes = SmallVector<std::pair<KernelOp, KernelCode>>;

class StripsEmitter {
public:
  StripsEmitter(KernelFrame &frame, StripsOp op, const KernelCodes &codes)
      : frame(frame), eval(frame.eval), op(op), codes(codes), memory(op), extents(dimsOf(op.getExtents())) {
    for (auto &[kernel, code] : codes)
      closures.push_back(frame.stack(word(), kernel->getNumOperands() + kernel->getNumResults() + code.symbols.size()));
  }

  void emit() {
    Value height = eval.i64(op.getHeight()), rows = eval.extent(extents.back());
    Value perMatrix = eval.extent(ceilDiv(extents.back(), op.getHeight())); // positive where there is an item
    Value strips = eval.extent(memory.strips);
    Value isOwn =
        arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sle, strips, eval.i64(StripMemory::kMostAreas));
    frame.loop(frame.begin, frame.end, 1, [&](Value item) {
      Value first = eval.mul(frame.remainder(item, perMatrix), height);
      eval.symbols[op.getRows().str()] = eval.min(eval.sub(rows, first), height);
      indices.clear();
      for (const Index &index : frame.indicesOf(frame.divide(item, perMatrix), ArrayRef(extents).drop_back()))
        indices.push_back(index.base);
      indices.push_back(first);
      Value number = arith::SelectOp::create(frame.b, frame.loc, isOwn, item, frame.function.getArgument(1));
      Value area = byteAt(frame.output(op.getNumResults()), eval.mul(number, eval.extent(memory.areaBytes)));
      locate(area);
      for (size_t i = 0; i < codes.size(); ++i)
        call(i);
    });
  }

private:
  Type word() const { return frame.b.getI64Type(); }
  Value byteAt(Value address, Value bytes) { return frame.at(address, frame.b.getI8Type(), bytes); }

  /// Returns the address of a strip's part of a tensor whose leading dimensions are the extents that `places` names.
  Value partOf(Value buffer, RankedTensorType type, ArrayRef<int64_t> places) {
    Dims dims = dimsOf(type);
    Value offset = eval.i64(0);
    for (auto [i, place] : llvm::enumerate(places)) {
      std::optional<Dim> stride = numElements(ArrayRef(dims).drop_front(i + 1));
      offset = eval.add(offset, eval.mul(indices[place], eval.extent(*stride)));
    }
    Type element = type.getElementType();
    return frame.at(buffer, element.isInteger(1) ? frame.b.getI8Type() : scalarOf(element), offset);
  }

  /// Finds the addresses of all values of the strip.
  void locate(Value area) {
    Block &body = op.getBody().front();
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      addresses[body.getArgument(i)] =
          partOf(frame.buffers.lookup(input), cast<RankedTensorType>(input.getType()), op.getPlacesOf(i));
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, extents.size()));
    for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands()))
      addresses[yielded] = partOf(frame.output(i), cast<RankedTensorType>(op.getResult(i).getType()), all);
    for (auto &[value, offset] : memory.offsets)
      addresses[value] = byteAt(area, eval.extent(offset));
  }

  /// Calls a kernel's function for all of its work items.
  void call(size_t number) {
    auto [kernel, code] = codes[number];
    Value closure = closures[number];
    int64_t next = 0;
    auto push = [&](Value value) { LLVM::StoreOp::create(frame.b, frame.loc, value, frame.at(closure, word(), next++), 8); };
    for (Value buffer : llvm::concat<Value>(llvm::to_vector(kernel.getInputs()), llvm::to_vector(kernel.getResults())))
      push(addresses.lookup(buffer));
    for (const std::string &name : code.symbols)
      push(eval.extent(Dim::named(name)));
    Value items = frame.divideUp(eval.extent(code.extent), code.unit);
    Value slot = frame.function.getArgument(1);
    LLVM::CallOp::create(frame.b, frame.loc, code.function, ValueRange{closure, slot, eval.i64(0), items});
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  StripsOp op;
  const KernelCodes &codes;
  StripMemory memory;
  Dims extents;
  SmallVector<Value> closures;
  SmallVector<Value> indices; // of the strip: one for each extent
  DenseMap<Value, Value> addresses;
};

class StripsForm : public FormOf<NoParameters> {
public:
  StripsForm() : FormOf("strips") {}
  bool isHero(Operation *op) const override { return isa<StripsOp>(op); }

protected:
  FailureOr<NoParameters> chooseFor(KernelOp, const VectorTarget &) const override { return NoParameters(); }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const NoParameters &, const FunctionPlace &at) const override {
    auto op = cast<StripsOp>(heroOf(kernel));
    FailureOr<KernelCodes> codes = emitKernels(op, at);
    if (failed(codes))
      return failure();
    KernelLoops loops;
    llvm::append_range(loops.roots, kernel.getBody().front().getTerminator()->getOperands());
    loops.symbols = symbolsOf(kernel, op, *codes);
    KernelCode code;
    code.function = at.function;
    code.symbols = loops.symbols;
    code.extent = StripMemory(op).strips;
    code.work = workOf(op, *codes);
    code.threadWork = tuning::kThreadTerms;
    code.mostThreads = StripMemory::kMostAreas;
    at.builder.setInsertionPointToEnd(at.function->getBlock());
    KernelFrame frame(kernel, std::move(loops), at.function, at.target, at.builder);
    StripsEmitter(frame, op, *codes).emit();
    frame.close();
    return code;
  }

private:
  static FailureOr<KernelCodes> emitKernels(StripsOp op, FunctionPlace at) {
    KernelCodes codes;
    auto module = at.function->getParentOfType<ModuleOp>();
    for (KernelOp kernel : op.getBody().getOps<KernelOp>()) {
      std::string name = (at.function.getName() + "." + Twine(codes.size())).str();
      FailureOr<KernelCode> code = emitKernel(kernel, module, name, at.target);
      if (failed(code))
        return failure();
      codes.push_back({kernel, *code});
    }
    return codes;
  }

  /// Returns the names of the sizes that the strips and their kernels use; the rows of a strip are not among them.
  static SmallVector<std::string> symbolsOf(KernelOp kernel, StripsOp op, const KernelCodes &codes) {
    SmallVector<std::string> symbols;
    StripMemory memory(op);
    memory.strips.collectNames(symbols);
    memory.areaBytes.collectNames(symbols);
    for (Value value : kernel.getBody().getArguments())
      for (const Dim &dim : dimsOf(value))
        dim.collectNames(symbols);
    for (auto &[inner, code] : codes) {
      code.extent.collectNames(symbols);
      for (const std::string &name : code.symbols)
        Dim::named(name).collectNames(symbols); // a formula is computed from its names
    }
    llvm::erase(symbols, op.getRows().str());
    llvm::sort(symbols);
    return symbols;
  }

  /// Returns the scalar operations of all strips.
  static Dim workOf(StripsOp op, const KernelCodes &codes) {
    Dims extents = dimsOf(op.getExtents());
    Dim work;
    for (auto &[kernel, code] : codes)
      work = work + code.work.substitute({{op.getRows().str(), extents.back()}});
    return work * productOf(ArrayRef(extents).drop_back());
  }
};
} // namespace

const Form &lathe::cpu::stripsForm() {
  static const StripsForm form;
  return form;
}

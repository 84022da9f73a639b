#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/GPU/Form.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/Points/Closure.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

// Threads whose access is guarded off read this global instead, which is valid memory whatever the buffers are.
static constexpr llvm::StringLiteral kHarmless = "lathe_harmless";
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
constexpr unsigned kMapAlignment = 128, kMapBytes = 128;

/// Returns the offset of the descriptors in the parameter, as the runtime lays it out.
static uint64_t mapOffset(unsigned words) { return llvm::alignTo(words * 8, kMapAlignment); }

LLVM::LLVMFuncOp lathe::gpu::makeFunction(KernelOp kernel, ModuleOp module, StringRef name, unsigned words, unsigned threads,
                                          unsigned maps) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), name, type);
  uint64_t all = maps ? (mapOffset(words) + maps * kMapBytes) / 8 : words;
  function.setArgAttr(0, "llvm.byval", TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), all)));
  function.setArgAttr(0, "llvm.align", b.getI64IntegerAttr(maps ? kMapAlignment : 8));
  if (maps) // otherwise each thread copies the parameter to take its address
    function.setArgAttr(0, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({int32_t(threads)}));
  return function;
}

static LLVM::GlobalOp globalOf(OpBuilder &b, LLVM::LLVMFuncOp function, StringRef name, Type type, unsigned space,
                               Attribute value) {
  auto module = function->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, function.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal, name, value,
                                /*alignment=*/16, space);
}

static Value genericAddress(OpBuilder &b, Location loc, LLVM::GlobalOp global, unsigned space) {
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), space), global.getSymName());
  return LLVM::AddrSpaceCastOp::create(b, loc, generic, address);
}

unsigned lathe::gpu::predicatesOf(KernelOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(kPredicatesAttr);
  return count ? count.getInt() : 0;
}

ThreadFrame::ThreadFrame(KernelOp kernel, ArrayRef<std::string> symbols, LLVM::LLVMFuncOp function, unsigned threads,
                         const VectorTarget &target, OpBuilder &builder)
    : CodeFrame(builder, kernel.getLoc(), target), function(function), threads(threads), scratchWord(wordsOf(kernel, symbols)) {
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  outputs = bindClosure(entry->getArgument(0), kernel, symbols, eval, buffers);
  Type vector = b.getIntegerType(kVectorBytes * 8);
  LLVM::GlobalOp harmless = globalOf(b, function, kHarmless, vector, kGlobalSpace, b.getIntegerAttr(vector, 0));
  buffers[Value()] = genericAddress(b, loc, harmless, kGlobalSpace);
  auto wide = [&](Value number) { return LLVM::ZExtOp::create(b, loc, b.getI64Type(), number); };
  thread = wide(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()));
  block = wide(NVVM::BlockIdXOp::create(b, loc, b.getI32Type()));
  unsigned predicates = predicatesOf(kernel), firstWord = scratchWord - 2 * predicates;
  checkPredicates(firstWord, predicates);
}

unsigned ThreadFrame::wordCount() {
  return cast<LLVM::LLVMArrayType>(cast<TypeAttr>(function.getArgAttr(0, "llvm.byval")).getValue()).getNumElements();
}

Value ThreadFrame::word(unsigned number, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value from =
      LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), function.getArgument(0), ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return LLVM::LoadOp::create(b, loc, type, from, 8);
}

/// Ends the thread unless all predicate bytes have their expected values.
void ThreadFrame::checkPredicates(unsigned firstWord, unsigned predicates) {
  Value holds;
  for (unsigned i = 0; i < predicates; ++i) {
    Value byte = loadOne(word(firstWord + 2 * i, LLVM::LLVMPointerType::get(b.getContext())), b.getI8Type());
    Value wanted = word(firstWord + 2 * i + 1, b.getI64Type());
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, arith::ExtUIOp::create(b, loc, b.getI64Type(), byte), wanted);
    holds = eval.both(holds, same);
  }
  if (holds)
    leaveUnless(holds);
}

/// Continues the function in a new basic block.
void ThreadFrame::leaveUnless(Value condition) {
  Block *start = b.getInsertionBlock(), *body = function.addBlock(), *end = function.addBlock();
  b.setInsertionPointToEnd(end);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPointToEnd(start);
  LLVM::CondBrOp::create(b, loc, condition, body, end);
  b.setInsertionPointToStart(body);
}

KernelCode ThreadFrame::finish(ArrayRef<std::string> symbols, const Dim &extent, std::string form) {
  close();
  KernelCode code;
  code.function = function;
  code.symbols.assign(symbols.begin(), symbols.end());
  code.words = wordCount();
  code.threads = threads;
  code.extent = extent;
  code.form = std::move(form);
  return code;
}

Value ThreadFrame::blocks() {
  return LLVM::ZExtOp::create(b, loc, b.getI64Type(), NVVM::GridDimXOp::create(b, loc, b.getI32Type()));
}

bool ThreadFrame::exceedsOneWave(const Dim &extent, int64_t unit) const {
  return !extent.isStatic() || llvm::divideCeil(extent.constant(), unit) * int64_t(threads) > kThreadsAtOnce;
}

void ThreadFrame::eachBlock(bool isPersistent, Value count, function_ref<void(Value)> body) {
  if (!isPersistent)
    return body(block);
  auto loop = scf::ForOp::create(b, loc, block, count, blocks());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  eval.nextPoint();
  body(loop.getInductionVar());
}

namespace {
/// Hoists loads within a basic block. It numbers the ops itself, because the block's own numbers are recomputed after each
/// move.
class LoadHoister {
public:
  void run(Block &block) {
    positions.clear();
    front = nullptr;
    for (Operation &op : block)
      positions[&op] = positions.size() + 1;
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isa<LLVM::LoadOp>(op)) {
        if (front)
          moveToFront(&op);
      } else if (!isPure(&op) || op.getNumRegions() > 0) {
        front = nullptr;
      } else if (!front) {
        front = &op;
      }
  }

private:
  bool isInFront(Operation *op) const {
    auto found = positions.find(op); // absent: in another block
    return found == positions.end() || found->second < positions.lookup(front);
  }
  /// Moves an op to the front, after the ops that compute its operands.
  void moveToFront(Operation *op) {
    if (isInFront(op))
      return;
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        moveToFront(made);
    if (op == front)
      front = front->getNextNode();
    else
      op->moveBefore(front);
    positions[op] = 0;
  }

  Operation *front = nullptr;              // where loads go: the first pure op since a side effect
  DenseMap<Operation *, size_t> positions; // 0 for ops that have moved
};
} // namespace

void ThreadFrame::hoistLoads() {
  LoadHoister mover;
  function.walk([&](Block *block) { mover.run(*block); });
}

void ThreadFrame::wantRegisters() { function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1)); }

Value ThreadFrame::globalThread() { return eval.add(eval.mul(block, eval.i64(threads)), thread); }

SmallVector<Index> ThreadFrame::indicesOf(Value linear, ArrayRef<Dim> extents) {
  SmallVector<Index> indices(extents.size());
  Dim all = productOf(extents);
  bool isSmall = all.isStatic() && all.constant() <= std::numeric_limits<int32_t>::max();
  if (isSmall) // 64-bit divisions take several times as long
    linear = arith::TruncIOp::create(b, loc, b.getI32Type(), linear);
  for (size_t i = extents.size(); i-- > 0;) {
    Value index = linear;
    if (i > 0) {
      Value extent = isSmall
                         ? arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(extents[i].constant()))).getResult()
                         : eval.extent(extents[i]);
      index = b.createOrFold<arith::RemUIOp>(loc, linear, extent);
      linear = b.createOrFold<arith::DivUIOp>(loc, linear, extent);
    }
    indices[i] = eval.uniform(isSmall ? b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), index) : index);
  }
  return indices;
}

Value ThreadFrame::isBelow(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y); }

CodeFrame::Carry ThreadFrame::rolledLoop(Value low, Value high, ValueRange init, function_ref<Carry(Value, ValueRange)> body) {
  Carry results = loop(low, high, init, body);
  auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  results.front().getDefiningOp()->setAttr("llvm.loop_annotation", annotation);
  return results;
}

Value ThreadFrame::isFinite(Value value) {
  Value zero = arith::SubFOp::create(b, loc, value, value); // NaN for an infinity
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, zero, zero);
}

Value ThreadFrame::shared(StringRef name, Type element, int64_t count) {
  std::string symbol = (function.getName() + "_" + name).str();
  LLVM::GlobalOp memory = globalOf(b, function, symbol, LLVM::LLVMArrayType::get(element, count), kSharedSpace, Attribute());
  return genericAddress(b, loc, memory, kSharedSpace);
}

Value ThreadFrame::dynamicShared() {
  static constexpr llvm::StringLiteral kName = "lathe_shared";
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false, LLVM::Linkage::External,
                           kName, Attribute(), /*alignment=*/1024, kSharedSpace);
  }
  return LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace), kName);
}

Value ThreadFrame::global(Value address) {
  return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), address);
}

Value ThreadFrame::mapAt(unsigned words, unsigned number) {
  return at(function.getArgument(0), b.getI8Type(), int64_t(mapOffset(words) + number * kMapBytes));
}

void ThreadFrame::barrier() { NVVM::BarrierOp::create(b, loc); }

Value ThreadFrame::number(int32_t value) { return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); }

void ThreadFrame::warpBarrier() { NVVM::SyncWarpOp::create(b, loc, number(-1)); }

Value ThreadFrame::any(Value condition) {
  return NVVM::VoteSyncOp::create(b, loc, b.getI1Type(), number(-1), condition, NVVM::VoteSyncKind::any);
}

Value ThreadFrame::shuffle(Value value, Value operand, Shuffle kind) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32) {
    auto instruction = kind == Shuffle::Across   ? NVVM::ShflKind::bfly
                       : kind == Shuffle::Before ? NVVM::ShflKind::up
                                                 : NVVM::ShflKind::idx;
    unsigned clamp = kind == Shuffle::Before ? 0 : kWarp - 1;
    return NVVM::ShflOp::create(b, loc, type, number(-1), value, operand, number(clamp), instruction, UnitAttr());
  }
  if (isa<FloatType>(type)) {
    Value bits = arith::BitcastOp::create(b, loc, b.getIntegerType(width), value);
    return arith::BitcastOp::create(b, loc, type, shuffle(bits, operand, kind));
  }
  if (width < 32)
    return arith::TruncIOp::create(b, loc, type, shuffle(arith::ExtUIOp::create(b, loc, i32, value), operand, kind));
  Value shift = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 32));
  Value low = shuffle(arith::TruncIOp::create(b, loc, i32, value), operand, kind);
  Value high = shuffle(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, value, shift)), operand, kind);
  Value raised = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, type, high), shift);
  return arith::OrIOp::create(b, loc, raised, arith::ExtUIOp::create(b, loc, type, low));
}

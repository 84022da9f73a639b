#include "lib/Analysis/BlockMemory.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;

static constexpr int64_t kBufferAlignment = 64;

/// Returns the bytes of a value in the arena; a size that cannot be evaluated counts as nothing.
static int64_t bytesOf(Value value, const Sizes &sizes) {
  return llvm::alignTo(std::max<int64_t>(evaluate(byteSize(value), sizes).value_or(0), 0), kBufferAlignment);
}

/// True if the op keeps its order among others of its kind.
static bool isOrdered(Operation *op) { return mayFail(op) || !isMemoryEffectFree(op); }

BlockMemory::BlockMemory(Block &block, const Sizes &sizes, const Positions &positions) {
  addSteps(block, sizes, positions);
  connect();
  keepInPlace(block);
  for (Step &step : steps) {
    llvm::sort(step.after);
    step.after.erase(llvm::unique(step.after), step.after.end());
  }
  for (const Buffer &buffer : buffers)
    readerCounts.push_back(buffer.readers.size());
}

void BlockMemory::addSteps(Block &block, const Sizes &sizes, const Positions &positions) {
  for (Operation &op : block.without_terminator()) {
    if (!isa<KernelOp>(op) && !isControl(&op))
      continue;
    unsigned number = stepOf[&op] = steps.size();
    Step &step = steps.emplace_back();
    step.op = &op;
    if (isControl(&op))
      for (Region &region : op.getRegions()) {
        BlockMemory inside(region.front(), sizes, positions);
        step.inside = std::max(step.inside, inside.peak(inside.order()));
      }
    for (unsigned i = 0; i < carriesOf(&op).size(); ++i)
      if (!updatesInPlace(&op, i, positions))
        step.inside += bytesOf(op.getResult(i), sizes);
    addBuffers(number, sizes);
  }
}

void BlockMemory::addBuffers(unsigned step, const Sizes &sizes) {
  Operation *op = steps[step].op;
  Operation *end = op->getBlock()->getTerminator();
  auto isPlacedOutside = [&](Value value) {
    return op->hasAttr(kColdAttr) || (!isa<ConditionOp>(end) && llvm::is_contained(end->getOperands(), value));
  };
  for (Value value : op->getResults()) {
    bufferOf[value] = buffers.size();
    steps[step].writes.push_back(buffers.size());
    buffers.push_back({value, isPlacedOutside(value) ? 0 : bytesOf(value, sizes), step, {}, {}});
  }
}

/// Adds the readers of each buffer, through views, and the order that they and ordered ops need.
void BlockMemory::connect() {
  for (unsigned b = 0; b < buffers.size(); ++b) {
    SmallVector<Value> names{buffers[b].value};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        if (isView(user)) {
          names.push_back(user->getResult(0));
          continue;
        }
        auto reader = stepOf.find(user);
        unsigned number = reader == stepOf.end() ? steps.size() : reader->second;
        if (llvm::is_contained(buffers[b].readers, number))
          continue;
        buffers[b].readers.push_back(number);
        if (reader == stepOf.end())
          continue;
        steps[number].reads.push_back(b);
        steps[number].after.push_back(buffers[b].maker);
      }
  }
  std::optional<unsigned> ordered;
  for (unsigned i = 0; i < steps.size(); ++i) {
    takeInputs(i);
    if (!isOrdered(steps[i].op))
      continue;
    if (ordered)
      steps[i].after.push_back(*ordered);
    ordered = i;
  }
}

/// Finds the inputs that results of a step may replace.
void BlockMemory::takeInputs(unsigned step) {
  Operation *op = steps[step].op;
  if (OperandRange carries = carriesOf(op); !carries.empty())
    for (auto [i, first] : llvm::enumerate(carries))
      if (auto found = bufferOf.find(first); found != bufferOf.end())
        buffers[steps[step].writes[i]].takes.push_back(found->second);
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    return;
  for (unsigned result : llvm::seq<unsigned>(kernel.getNumResults())) {
    Buffer &made = buffers[steps[step].writes[result]];
    unsigned width = getElementTypeOrSelf(made.value.getType()).getIntOrFloatBitWidth();
    for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
      auto found = bufferOf.find(memoryOf(input));
      if (found == bufferOf.end() || made.bytes == 0 || buffers[found->second].bytes != made.bytes ||
          getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth() != width || !readsInPlace(kernel, i, result))
        continue;
      made.takes.push_back(found->second);
    }
  }
}

/// Keeps each variable and carry that the block's order lets be updated in place: its readers, and what may fail before a
/// variable is written, stay before the step that computes the new value. Likewise the other readers of a carry's initial value
/// stay before the loop.
void BlockMemory::keepInPlace(Block &block) {
  auto keepBefore = [&](Value old, unsigned writer) {
    SmallVector<Value> names{old};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers())
        if (isView(user))
          names.push_back(user->getResult(0));
        else if (auto reader = stepOf.find(user); reader != stepOf.end() && reader->second < writer)
          steps[writer].after.push_back(reader->second);
  };
  Operation *end = block.getTerminator(), *parent = block.getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  SmallVector<unsigned> failing;
  for (unsigned i = 0; function && i < steps.size(); ++i)
    if (mayFail(steps[i].op))
      failing.push_back(i);
  for (OpOperand &next : end->getOpOperands()) {
    auto writer = stepOf.find(next.get().getDefiningOp());
    if (writer == stepOf.end() || isa<ConditionOp>(end))
      continue;
    Attribute variable = function ? function.getResultAttr(next.getOperandNumber(), kStateAttr) : Attribute();
    for (BlockArgument argument : variable ? block.getArguments() : ArrayRef<BlockArgument>())
      if (function.getArgAttr(argument.getArgNumber(), kStateAttr) == variable)
        keepBefore(argument, writer->second);
    for (unsigned i : variable ? ArrayRef(failing) : ArrayRef<unsigned>())
      if (i < writer->second)
        steps[writer->second].after.push_back(i);
    if (!function && isLoop(parent) && next.getOperandNumber() < carriesOf(parent).size())
      keepBefore(cast<ControlOpInterface>(parent).getCarryArguments()[next.getOperandNumber()], writer->second);
  }
  for (unsigned i = 0; i < steps.size(); ++i)
    for (Value first : carriesOf(steps[i].op))
      keepBefore(memoryOf(first), i);
}

BlockMemory::Order BlockMemory::order() const {
  Order order;
  for (unsigned i = 0; i < steps.size(); ++i)
    order.push_back(i);
  return order;
}

std::vector<int64_t> BlockMemory::profile(const Order &order) const {
  std::vector<int64_t> live;
  live.reserve(order.size());
  std::vector<unsigned> unread;
  walk(order, unread, [&](int64_t bytes) {
    live.push_back(bytes);
    return true;
  });
  return live;
}

std::vector<unsigned> BlockMemory::liveAt(const Order &order, size_t place) const {
  std::vector<size_t> at(steps.size() + 1, order.size());
  for (size_t i = 0; i < order.size(); ++i)
    at[order[i]] = i;
  std::vector<unsigned> live;
  for (unsigned b = 0; b < buffers.size(); ++b) {
    auto isLater = [&](unsigned reader) { return at[reader] >= place; };
    size_t made = at[buffers[b].maker];
    if (buffers[b].bytes > 0 && (made == place || (made < place && llvm::any_of(buffers[b].readers, isLater))))
      live.push_back(b);
  }
  llvm::stable_sort(live, [&](unsigned a, unsigned b) { return buffers[a].bytes > buffers[b].bytes; });
  return live;
}

int64_t BlockMemory::peak(const Order &order) const {
  std::vector<int64_t> live = profile(order);
  return live.empty() ? 0 : *llvm::max_element(live);
}

Sizes lathe::sizesOf(Operation *function, int64_t size) {
  SmallVector<std::string> names;
  function->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        for (const Dim &dim : dimsOf(result))
          dim.collectNames(names);
  });
  Sizes sizes;
  for (const std::string &name : names)
    sizes[name] = size;
  return sizes;
}

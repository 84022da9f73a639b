#include "lib/Compiler/Describe/Description.h"
#include "codegen/Emit/Versions.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/ElementTypes.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Schedules.h"
#include "lib/Analysis/Liveness.h"
#include "lib/Import/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lathe;

static DescribedType typeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  std::optional<Element> element = elementOf(type.getElementType());
  return {element ? nameOf(*element).str() : "", dimsOf(type)};
}

static std::string opName(Operation *op) { return op->getName().getStringRef().str(); }

namespace {

/// Describes one version of a function.
class VersionDescriber {
public:
  explicit VersionDescriber(const Version &version) : function(version.function) {
    result.name = version.name;
    result.fixed = version.fixed;
    result.line = sourcePlace(function.getLoc()).line;
    result.workspace = Dim::fromAttr(function->getAttrOfType<DimAttr>(kWorkspaceAttr));
  }

  DescribedVersion run() {
    Block &block = function.getBody().front();
    positions.number(block);
    function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
      begins.push_back(positions.begin(kernel));
      return WalkResult::skip();
    });
    describeBlock(block, -1);
    collectNames();
    return std::move(result);
  }

private:
  unsigned firstAt(uint64_t position) const {
    return std::min<size_t>(llvm::lower_bound(begins, position) - begins.begin(), begins.empty() ? 0 : begins.size() - 1);
  }
  unsigned lastAt(uint64_t position) const {
    size_t after = llvm::upper_bound(begins, position) - begins.begin();
    return after ? after - 1 : 0;
  }

  void describeBlock(Block &block, int region) {
    for (Operation &op : block) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        describeKernel(kernel, region);
      else if (isControl(&op))
        describeControl(&op, region);
    }
  }

  void describeControl(Operation *op, int parent) {
    int number = int(result.regions.size());
    result.regions.push_back({opName(op), sourcePlace(op->getLoc()), parent, unsigned(result.kernels.size()), 0});
    for (Value value : op->getResults())
      result.tensors[tensorOf(value)].region = number;
    addSpares(op);
    for (Region &region : op->getRegions())
      describeBlock(region.front(), number);
    result.regions[number].last = unsigned(result.kernels.size()) - 1; // before the first one if there is none
  }

  /// Adds the second buffers of a loop's carries.
  void addSpares(Operation *op) {
    auto spares = op->getAttrOfType<ArrayAttr>(kSparesAttr);
    for (auto [i, spare] : llvm::enumerate(spares ? spares.getValue() : ArrayRef<Attribute>())) {
      auto buffer = dyn_cast<BufferAttr>(spare);
      if (!buffer)
        continue;
      Value value = op->getResult(i);
      DescribedTensor tensor = makeTensor(value, buffer);
      tensor.name = "second buffer of " + (tensor.name.empty() ? "a carry" : tensor.name);
      tensor.first = firstAt(positions.begin(op));
      result.tensors.push_back(std::move(tensor));
    }
  }

  void describeKernel(KernelOp kernel, int region) {
    DescribedKernel described;
    described.place = sourcePlace(kernel.getLoc());
    if (auto hero = kernel->getAttrOfType<StringAttr>(kHeroAttr))
      described.op = hero.str();
    if (auto fused = kernel->getAttrOfType<StringAttr>(kFusedAttr))
      described.fused = fused.str();
    if (kernel.getNumResults())
      described.type = typeOf(kernel.getResult(0));
    described.region = region;
    described.work = workOf(kernel);
    if (std::optional<ArrayAttr> schedules = kernel.getSchedules())
      for (auto schedule : schedules->getAsRange<ScheduleAttr>())
        described.schedules.emplace_back(schedule.getTarget().str(), textOf(schedule));
    for (Value input : kernel.getInputs())
      described.reads.push_back(tensorOf(input));
    for (Value output : kernel.getResults())
      described.writes.push_back(tensorOf(output));
    describeOps(kernel.getBody().front(), described);
    result.kernels.push_back(std::move(described));
  }

  /// Adds a kernel's ops; those of strips are the ops of their kernels.
  void describeOps(Block &body, DescribedKernel &kernel) {
    DenseMap<Value, int> numbers;
    for (BlockArgument argument : body.getArguments())
      numbers[argument] = -1 - int(argument.getArgNumber());
    addOps(body, numbers, kernel);
  }

  void addOps(Block &body, DenseMap<Value, int> &numbers, DescribedKernel &kernel) {
    for (Operation &op : body.without_terminator()) {
      if (isa<ScratchOp>(op)) // memory, which computes nothing
        continue;
      Region *inside = op.getNumRegions() && isa<StripsOp, KernelOp>(op) ? &op.getRegion(0) : nullptr;
      if (inside) {
        if (auto strips = dyn_cast<StripsOp>(op))
          rowsOfStrips[strips.getRows().str()] = Dim(int64_t(strips.getHeight()));
        for (auto [argument, operand] : llvm::zip(inside->getArguments(), op.getOperands()))
          numbers[argument] = numbers.lookup(operand);
        addOps(inside->front(), numbers, kernel);
        Operation *end = inside->front().getTerminator();
        for (auto [value, inner] : llvm::zip(op.getResults(), end->getOperands()))
          numbers[value] = numbers.lookup(inner);
        continue;
      }
      DescribedOp described{opName(&op), "", sourcePlace(op.getLoc()), {}, {}};
      if (op.getNumResults()) {
        described.name = isOfLocation(&op) ? locationName(op.getResult(0)) : "";
        described.type = typeOf(op.getResult(0));
        for (Dim &dim : described.type.dims)
          dim = dim.substitute(rowsOfStrips);
      }
      for (Value operand : op.getOperands())
        described.reads.push_back(numbers.lookup(operand));
      for (Value value : op.getResults())
        numbers[value] = int(kernel.ops.size());
      kernel.ops.push_back(std::move(described));
    }
  }

  /// Returns the number of the tensor that a value's memory is. An argument of a region is the tensor that it gets at first.
  unsigned tensorOf(Value value) {
    value = memoryOf(value);
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      Value outer = operandOf(argument);
      if (!outer)
        break;
      value = memoryOf(outer);
    }
    auto [known, isNew] = tensors.try_emplace(value, unsigned(result.tensors.size()));
    if (isNew)
      result.tensors.push_back(makeTensor(value, bufferOf(value)));
    return known->second;
  }

  static BufferAttr bufferOf(Value value) {
    Operation *maker = value.getDefiningOp();
    auto buffers = maker ? maker->getAttrOfType<ArrayAttr>(kBuffersAttr) : ArrayAttr();
    return buffers ? cast<BufferAttr>(buffers[cast<OpResult>(value).getResultNumber()]) : BufferAttr();
  }

  DescribedTensor makeTensor(Value value, BufferAttr buffer) {
    Operation *maker = value.getDefiningOp();
    DescribedTensor tensor;
    describeOrigin(value, tensor);
    tensor.type = typeOf(value);
    tensor.bytes = byteSize(value);
    tensor.kind = kindOf(value, buffer);
    if (buffer)
      tensor.offset = Dim::fromAttr(buffer.getOffset());
    tensor.first = maker && !isa<ConstantOp>(maker) ? firstAt(positions.begin(maker)) : 0;
    tensor.last = std::max(tensor.first, lastAt(positions.lastUse(value)));
    if (maker && isControl(maker))
      tensor.last = std::max(tensor.last, lastAt(positions.end(maker)));
    return tensor;
  }

  /// Returns the value in a kernel, a branch or a loop that another value is, or consists of if the loop stacks it; null for
  /// any other value. A loop's carries are values of their own.
  static Value innerOf(Value value) {
    Operation *maker = value.getDefiningOp();
    if (!maker || !(isa<KernelOp>(maker) || isControl(maker)))
      return Value();
    unsigned number = cast<OpResult>(value).getResultNumber();
    Operation *end = maker->getRegions().back().front().getTerminator();
    bool isCarry = isControl(maker) && number < carriesOf(maker).size();
    return isCarry || number >= end->getNumOperands() ? Value() : end->getOperand(number);
  }

  /// Sets the name, op and place of a tensor: those of the op in a kernel that computes it.
  void describeOrigin(Value value, DescribedTensor &tensor) {
    while (Value inner = innerOf(value))
      value = inner;
    tensor.place = sourcePlace(value.getLoc());
    Operation *maker = value.getDefiningOp();
    if (maker)
      tensor.op = opName(maker);
    if (!maker || isOfLocation(maker))
      tensor.name = locationName(value);
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &function.getBody().front())
      return;
    if (auto state = function.getArgAttrOfType<SymbolRefAttr>(argument.getArgNumber(), kStateAttr))
      tensor.name = "@" + state.getLeafReference().str();
    else if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr))
      tensor.name = name.str();
  }

  TensorKind kindOf(Value value, BufferAttr buffer) {
    if (buffer && buffer.getKind() == BufferKind::Arena)
      return TensorKind::Workspace;
    if (buffer && buffer.getKind() == BufferKind::Yield)
      return TensorKind::Yielded;
    if (buffer && buffer.getKind() == BufferKind::Cold)
      return TensorKind::Cold;
    if (buffer)
      return function.getResultAttr(buffer.getIndex(), kStateAttr) ? TensorKind::State : TensorKind::Output;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return TensorKind::Constant;
    bool isState =
        argument.getOwner() == &function.getBody().front() && function.getArgAttr(argument.getArgNumber(), kStateAttr);
    return isState ? TensorKind::State : TensorKind::Input;
  }

  /// Collects the names that sizes are needed for.
  void collectNames() {
    result.workspace.collectNames(result.dims);
    for (const DescribedTensor &tensor : result.tensors)
      for (const Dim &dim : tensor.type.dims)
        dim.collectNames(result.dims);
    for (const DescribedKernel &kernel : result.kernels)
      for (const DescribedOp &op : kernel.ops)
        for (const Dim &dim : op.type.dims)
          dim.collectNames(result.dims);
  }

  func::FuncOp function;
  Positions positions;
  std::vector<uint64_t> begins; // the positions of the kernels
  DenseMap<Value, unsigned> tensors;
  std::map<std::string, Dim> rowsOfStrips; // full heights of strips, by the names of their rows
  DescribedVersion result;
};
} // namespace

CompileDescription lathe::describeCompilation(ModuleOp module) {
  CompileDescription description;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || !function.isPublic())
      continue;
    for (const Version &version : versionsOf(module, function.getSymName())) {
      description.versions.push_back(VersionDescriber(version).run());
      description.versions.back().function = function.getSymName().str();
    }
  }
  return description;
}

Sizes DescribedVersion::sizesFor(const Sizes &given, int64_t other) const {
  Sizes sizes;
  for (const std::string &name : dims) {
    auto known = given.find(name);
    sizes[name] = known == given.end() ? other : known->second;
  }
  for (auto &[name, size] : fixed)
    if (std::optional<int64_t> value = evaluate(size, sizes))
      sizes[name] = *value;
  return sizes;
}

/// Offsets in the workspace are multiples of it, and so are the bytes that a tensor takes.
static constexpr uint64_t kAlignment = 64;

std::vector<int64_t> lathe::liveBytes(const DescribedVersion &version, const Sizes &sizes, LargestLiveSet &largest) {
  struct Range {
    int64_t offset, end;
    unsigned tensor;
  };
  std::vector<std::vector<Range>> live(version.kernels.size());
  for (auto [number, tensor] : llvm::enumerate(version.tensors)) {
    int64_t offset = evaluate(tensor.offset, sizes).value_or(0);
    int64_t bytes = llvm::alignTo<kAlignment>(std::max<int64_t>(evaluate(tensor.bytes, sizes).value_or(0), 0));
    for (unsigned k = tensor.first; tensor.kind == TensorKind::Workspace && k <= tensor.last && k < live.size(); ++k)
      live[k].push_back({offset, offset + bytes, unsigned(number)});
  }
  std::vector<int64_t> all;
  for (auto [kernel, ranges] : llvm::enumerate(live)) {
    llvm::sort(ranges,
               [](const Range &a, const Range &b) { return std::tie(a.offset, a.tensor) < std::tie(b.offset, b.tensor); });
    int64_t bytes = 0, end = 0; // an input that became a result has its bytes twice
    for (const Range &range : ranges) {
      bytes += std::max<int64_t>(0, range.end - std::max(range.offset, end));
      end = std::max(end, range.end);
    }
    if (bytes > largest.bytes)
      largest = {bytes, unsigned(kernel), {}};
    all.push_back(bytes);
  }
  if (largest.bytes)
    for (const Range &range : live[largest.kernel])
      largest.tensors.push_back(range.tensor);
  return all;
}

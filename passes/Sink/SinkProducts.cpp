#include "dialects/Lathe/IR/Control.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "passes/Sink/Sink.h"

namespace lathe {
#define GEN_PASS_DEF_SINKPRODUCTSPASS
#include "passes/Sink/Sink.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Returns the products whose sum a step adds to a carry; none if there are other terms, or other users of a part.
static SmallVector<DotGeneralOp> addedProducts(BlockArgument carry, Value sum) {
  if (!carry.hasOneUse())
    return {};
  SmallVector<DotGeneralOp> products;
  while (sum != carry) {
    auto add = sum.getDefiningOp<AddOp>();
    if (!add || !add->hasOneUse() || add->getBlock() != carry.getOwner() || add.getLhs().getType() != add.getRhs().getType())
      return {};
    auto product = add.getRhs().getDefiningOp<DotGeneralOp>();
    sum = product ? add.getLhs() : add.getRhs();
    if (!product)
      product = add.getLhs().getDefiningOp<DotGeneralOp>();
    if (!product || !product->hasOneUse() || product->getBlock() != carry.getOwner())
      return {};
    products.push_back(product);
  }
  return products;
}

/// Limit on the growth of a loop's stacks. The weights of an LSTM's four gates need four rows for each existing one.
static constexpr int64_t largestGrowth = 8;

namespace {
/// Moves the carries of one loop that are such sums.
class Sink {
public:
  explicit Sink(ScanOp scan) : scan(scan), end(scan.getBody().front().getTerminator()), carries(scan.getCarry().size()) {
    for (Value collected : end->getOperands().drop_front(carries))
      stacked.push_back(collected);
    scan.getBody().walk([&](Operation *op) { hasLoop |= isLoop(op); });
  }

  /// Returns the number of carries that became a product after the loop, which is replaced.
  unsigned run() {
    SmallVector<std::pair<unsigned, SmallVector<DotGeneralOp>>> sums;
    for (unsigned i = 0; i < carries; ++i)
      if (SmallVector<DotGeneralOp> products = addedProducts(scan.getCarryArguments()[i], end->getOperand(i));
          !products.empty() && pays(products))
        sums.push_back({i, products});
    if (sums.empty())
      return 0;
    ScanOp wider = collect();
    OpBuilder builder(wider->getContext());
    builder.setInsertionPointAfter(wider);
    for (auto &[i, products] : sums) {
      Value result = wider->getResult(i), total = wider.getCarry()[i];
      bool isZero = matchPattern(total, m_AnyZeroFloat());
      for (DotGeneralOp product : llvm::reverse(products)) {
        Value steps = contractSteps(builder, wider, product);
        total = isZero ? steps : AddOp::create(builder, product.getLoc(), total, steps).getResult();
        isZero = false;
      }
      result.replaceAllUsesWith(total);
      wider.getBody().front().getTerminator()->setOperand(i, wider.getCarryArguments()[i]); // canonicalization removes it
    }
    return sums.size();
  }

private:
  /// True if moving the products out of the step pays. Records the values to collect in that case.
  bool pays(ArrayRef<DotGeneralOp> products) {
    SmallVector<Value> fresh;
    for (DotGeneralOp product : products) {
      int64_t present = 0, added = 0;
      for (Value operand : product->getOperands()) {
        auto type = cast<RankedTensorType>(operand.getType());
        int64_t elements = type.hasStaticShape() ? type.getNumElements() : 0;
        if (isSlice(operand) || llvm::is_contained(stacked, operand))
          present += elements;
        if (isStacked(operand) || llvm::is_contained(fresh, operand))
          continue;
        if (!type.hasStaticShape() || isAlike(operand))
          return false;
        added += elements;
        fresh.push_back(operand);
      }
      auto sum = cast<RankedTensorType>(product.getType());
      if (added && (hasLoop || !sum.hasStaticShape() || added > sum.getNumElements() || added > largestGrowth * present))
        return false;
    }
    llvm::append_range(stacked, fresh);
    return true;
  }

  /// True if the operand is the same in each step.
  bool isAlike(Value operand) {
    return operand.getDefiningOp<ConstantOp>() || llvm::is_contained(scan.getConstArguments(), operand);
  }

  /// True if the value is already stacked. Slots of steps that do not run are zero in collected stacks, and arbitrary in the
  /// loop's inputs.
  bool isStacked(Value value) { return (isSlice(value) && !scan.getLength()) || llvm::is_contained(stacked, value); }
  bool isSlice(Value value) { return llvm::is_contained(scan.getSliceArguments(), value); }

  /// Returns the loop with stacks of all values in `stacked`.
  ScanOp collect() {
    OpBuilder builder(scan);
    auto wider =
        ScanOp::create(builder, scan.getLoc(), scan.getLength(), scan.getConsts(), scan.getCarry(), scan.getXs(),
                       scan.getTripAttr(), ValueRange(stacked).getTypes(), scan.getReverse(), scan.getCheckpointAttr());
    wider->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
    Block &from = scan.getBody().front(), &to = wider.getBody().front();
    SmallVector<Value> operands(end->getOperands().take_front(carries));
    llvm::append_range(operands, stacked);
    end->setOperands(operands);
    for (auto [old, argument] : llvm::zip_equal(from.getArguments(), to.getArguments())) {
      std::replace(stacked.begin(), stacked.end(), Value(old), Value(argument));
      old.replaceAllUsesWith(argument);
    }
    to.getOperations().splice(to.end(), from.getOperations());
    scan->replaceAllUsesWith(wider->getResults().take_front(scan->getNumResults()));
    scan->erase();
    return wider;
  }

  /// Returns the product of all steps: the steps are an additional contracted dimension of both operands, the first one.
  Value contractSteps(OpBuilder &builder, ScanOp wider, DotGeneralOp product) {
    auto stackOfOperand = [&](Value operand) -> Value {
      if (auto *slice = llvm::find(wider.getSliceArguments(), operand);
          !wider.getLength() && slice != wider.getSliceArguments().end())
        return wider.getXs()[slice - wider.getSliceArguments().begin()];
      return wider.getStacks()[llvm::find(stacked, operand) - stacked.begin()];
    };
    auto moved = [](ArrayRef<int64_t> dims) { return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; }); };
    auto withSteps = [&](ArrayRef<int64_t> dims) {
      SmallVector<int64_t> all{0};
      llvm::append_range(all, moved(dims));
      return all;
    };
    return DotGeneralOp::create(builder, product.getLoc(), stackOfOperand(product.getLhs()), stackOfOperand(product.getRhs()),
                                withSteps(product.getLhsContract()), withSteps(product.getRhsContract()),
                                moved(product.getLhsBatch()), moved(product.getRhsBatch()));
  }

  ScanOp scan;
  Operation *end;
  unsigned carries;
  bool hasLoop = false; // the loop may then be one of segments, for which a checkpoint policy forbids stacks of all steps
  SmallVector<Value> stacked;
};

struct SinkProducts : lathe::impl::SinkProductsPassBase<SinkProducts> {
  void runOnOperation() final {
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp scan) { scans.push_back(scan); });
    for (ScanOp scan : scans)
      if (!scan.getDim())
        sunk += Sink(scan).run();
  }
};
} // namespace

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "passes/Collectives/Collectives.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERCOLLECTIVESPASS
#include "passes/Collectives/Collectives.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

using Ints = SmallVector<int64_t>;

namespace {
/// Builds the ops around a collective along the first dimension.
class Around {
public:
  explicit Around(Operation *op) : builder(op), location(op->getLoc()) {}

  template <typename Op, typename... Arguments>
  Value make(Arguments &&...arguments) {
    return builder.createOrFold<Op>(location, std::forward<Arguments>(arguments)...);
  }
  Value reshape(Value value, const Dims &shape) { return make<ReshapeOp>(value, shapeOf(builder.getContext(), shape)); }

  /// Moves dimension `from` of the value to position `to`.
  Value move(Value value, int64_t from, int64_t to) {
    Ints order = llvm::to_vector(llvm::seq<int64_t>(dimsOf(value).size()));
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
    return make<TransposeOp>(value, order);
  }

  /// Cuts dimension `dim` into `parts` parts, whose number becomes the first dimension.
  Value cut(Value value, int64_t dim, const Dim &parts, const Dim &part) {
    Dims shape = dimsOf(value);
    shape[dim] = part;
    shape.insert(shape.begin() + dim, parts);
    return move(reshape(value, shape), dim, 0);
  }

  /// Joins the parts that the first dimension counts along dimension `dim` of a part, to this shape.
  Value join(Value parts, int64_t dim, const Dims &shape) { return reshape(move(parts, 0, dim), shape); }

  /// Divides by the axis' size; halves in f32.
  Value divide(Value sum, const Dim &ranks) {
    auto type = cast<RankedTensorType>(sum.getType());
    if (isHalf(type.getElementType()))
      return make<ConvertOp>(divide(make<ConvertOp>(sum, builder.getF32Type()), ranks), type.getElementType());
    Value size;
    if (ranks.isStatic()) {
      auto scalar = RankedTensorType::get({}, type.getElementType());
      APFloat number(double(ranks.constant()));
      bool isExact;
      number.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(), APFloat::rmNearestTiesToEven, &isExact);
      size = make<ConstantOp>(DenseElementsAttr::get(scalar, number));
    } else {
      // Any tensor with this dimension has its size; it is never stored.
      auto scalar = RankedTensorType::get({}, builder.getF32Type());
      Value zero = make<ConstantOp>(DenseElementsAttr::get(scalar, 0.0f));
      Value line = make<BroadcastOp>(zero, Ints(), shapeOf(builder.getContext(), ranks));
      size = make<ConvertOp>(make<DimSizeOp>(line, 0), type.getElementType());
    }
    return make<DivOp>(sum, make<BroadcastOp>(size, Ints(), shapeOf(builder.getContext(), dimsOf(sum))));
  }

private:
  OpBuilder builder;
  Location location;
};

struct LowerCollectives : lathe::impl::LowerCollectivesPassBase<LowerCollectives> {
  void runOnOperation() final {
    SmallVector<CollectiveOpInterface> ops;
    getOperation().walk([&](CollectiveOpInterface op) { ops.push_back(op); });
    if (!ops.empty() && getOperation()->hasAttr(kOnContextsAttr)) {
      refuse(ops.front());
      return signalPassFailure();
    }
    for (CollectiveOpInterface op : ops)
      if (Value lowered = lower(op)) {
        op->getResult(0).replaceAllUsesWith(lowered);
        op->erase();
      }
  }

private:
  /// Several contexts of a process run the function at once, but a rank takes part in an exchange once.
  void refuse(CollectiveOpInterface op) {
    op->emitError() << "'" << op->getName() << "' over '" << op.getAxis() << "' is in @" << getOperation().getSymName()
                    << ", which several contexts of a rank compute, each with its own examples; exchange values after the "
                       "minimised function, or leave out --shard=FUNCTION:DIM for contexts";
  }

  /// Returns what replaces the op, or null if it has the right form.
  Value lower(CollectiveOpInterface op) {
    Around around(op);
    if (auto reduce = dyn_cast<AllReduceOp>(*op)) {
      if (reduce.getKind() != CollectiveKind::Mean)
        return {};
      Value sum = around.make<AllReduceOp>(CollectiveKind::Sum, reduce.getOperand(), op.getAxis(), op.getSize());
      return around.divide(sum, op.getAxisSize());
    }
    if (auto scatter = dyn_cast<ReduceScatterOp>(*op))
      return lowerScatter(around, scatter);
    if (auto gather = dyn_cast<AllGatherOp>(*op); gather && gather.getDim() != 0) {
      ++moved;
      Dims one = dimsOf(gather.getOperand());
      one.insert(one.begin(), Dim(1));
      Value all = around.make<AllGatherOp>(around.reshape(gather.getOperand(), one), 0, op.getAxis(), op.getSize());
      return around.join(all, gather.getDim(), dimsOf(gather));
    }
    if (auto all = dyn_cast<AllToAllOp>(*op); all && (all.getSplit() != 0 || all.getConcat() != 0)) {
      ++moved;
      int64_t split = all.getSplit();
      Dims part = dimsOf(all.getOperand());
      part[split] = partOf(all.getOperand(), split, op.getAxisSize());
      Value parts = around.cut(all.getOperand(), split, op.getAxisSize(), part[split]);
      return around.join(around.make<AllToAllOp>(parts, 0, 0, op.getAxis(), op.getSize()), all.getConcat(), dimsOf(all));
    }
    return {};
  }

  Value lowerScatter(Around &around, ReduceScatterOp op) {
    bool isMean = op.getKind() == CollectiveKind::Mean;
    if (op.getDim() == 0 && !isMean)
      return {};
    CollectiveKind kind = isMean ? CollectiveKind::Sum : op.getKind();
    Value whole = op.getOperand();
    if (op.getDim() != 0) {
      ++moved;
      whole = around.cut(whole, op.getDim(), op.getAxisSize(), dimsOf(op.getResult())[op.getDim()]);
    }
    Value part = around.make<ReduceScatterOp>(kind, whole, 0, op.getAxis(), op.getSize());
    part = around.reshape(part, dimsOf(op.getResult()));
    return isMean ? around.divide(part, op.getAxisSize()) : part;
  }

  /// Returns the extent of one of as many parts as the axis has ranks.
  static Dim partOf(Value value, int64_t dim, const Dim &ranks) {
    Dims dims = dimsOf(value);
    return ranks.isStatic() ? *dims[dim].dividedBy(ranks.constant()) : dims[dim].dividedBy(ranks).first;
  }
};
} // namespace

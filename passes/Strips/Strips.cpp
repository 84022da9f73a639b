#include "passes/Strips/Strips.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Analysis/StripMemory.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Strips/StripDims.h"
#include "passes/Strips/VisibleKeys.h"
#include "llvm/ADT/StringSet.h"

namespace lathe {
#define GEN_PASS_DEF_CUTSTRIPSPASS
#include "passes/Strips/Strips.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Returns the product of a kernel; null if it has none, one of bf16 in pairs, or several results that are not all of the
/// product's shape.
static DotGeneralOp productOf(KernelOp kernel) {
  auto products = kernel.getBody().getOps<DotGeneralOp>();
  if (products.empty() || pairProductOf(kernel))
    return {};
  DotGeneralOp product = *products.begin();
  bool isAlike = llvm::all_of(kernel.getResults(), [&](Value result) { return dimsOf(result) == dimsOf(product.getResult()); });
  return kernel.getNumResults() == 1 || isAlike ? product : DotGeneralOp();
}

/// Returns the number of leading dimensions that strips divide if the kernel is the last of a group: those of its product's
/// batch, and one of rows. Returns 0 if its product has other dimensions.
static size_t dividedDimsOf(KernelOp kernel) {
  DotGeneralOp dot = productOf(kernel);
  if (!dot || dimsOf(dot.getResult()) != dimsOf(kernel.getResult(0)))
    return 0;
  size_t batch = dot.getLhsBatch().size();
  return dimsOf(dot.getLhs()).size() - dot.getLhsContract().size() == batch + 1 ? batch + 1 : 0;
}

/// Returns the dimensions without those of one index, which the value lacks in a strip.
static StripDims withoutUnits(ArrayRef<StripDim> dims) {
  StripDims kept(dims);
  llvm::erase(kept, kUnit);
  return kept;
}

/// True if a strip's part is contiguous: ascending divided dimensions, then whole ones.
static bool isSlice(ArrayRef<StripDim> dims) {
  ArrayRef<StripDim> divided = dims.take_while([](StripDim dim) { return dim != kWhole; });
  return llvm::is_sorted(divided, std::less_equal<>()) &&
         llvm::all_of(dims.drop_front(divided.size()), [](StripDim dim) { return dim == kWhole; });
}

namespace {
/// The kernels that run together.
class StripGroup {
public:
  explicit StripGroup(KernelOp last) : last(last), divided(dividedDimsOf(last)) {}

  /// Collects the kernels that compute the last one's left operand row by row, back to another product. Returns false if they
  /// lead to none.
  bool collect() {
    StripDims places(dimsOf(last.getResult(0)).size(), kWhole);
    std::iota(places.begin(), places.begin() + divided, 0);
    if (divided == 0 || !add(last, SmallVector<StripDims>(last.getNumResults(), places)))
      return false;
    bool hasProduct = false;
    for (size_t i = 0; i < order.size(); ++i) {
      KernelOp kernel = order[i];
      if (kernel != last && productOf(kernel)) {
        hasProduct = true;
        continue; // what it reads stays as it is
      }
      for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
        if (isOfRows(ofInput(kernel, number)))
          if (auto matrix = dyn_cast<OpResult>(input); matrix && isOnlyFor(matrix, kernel))
            (void)add(cast<KernelOp>(matrix.getOwner()), resultsLike(matrix, ofInput(kernel, number)));
    }
    llvm::sort(order, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
    return hasProduct && inputsAreSlices() && othersReadLater();
  }

  Dims extents() const { return Dims(ArrayRef(dimsOf(last.getResult(0))).take_front(divided)); }
  ArrayRef<KernelOp> kernels() const { return order; }
  /// True if the kernel that `build` has made skips hidden keys.
  bool skipsKeys() const { return skips; }

  /// Returns the first matrix between the kernels: the result of the first product.
  Value matrix() const {
    auto first = llvm::find_if(order, [](KernelOp kernel) { return bool(productOf(kernel)); });
    return KernelOp(*first).getResult(0);
  }

  /// True if strips of this height read less than they save. Each of them reads what the kernels need as a whole, from a cache
  /// that holds it, or else from memory that `kPasses` matrices of a strip are not written to and read from.
  bool readsLittle(int64_t height) const {
    constexpr int64_t kCachedBytes = 256 << 10, kPasses = 6;
    Dim whole;
    for (KernelOp kernel : order)
      for (auto [number, input] : llvm::enumerate(kernel.getInputs())) {
        if (isOfRows(ofInput(kernel, number)))
          continue;
        bool isFactor = llvm::any_of(kernel.getBody().getArgument(number).getUsers(), llvm::IsaPred<DotGeneralOp>);
        if (isFactor && memoryOf(input).getDefiningOp<ConstantOp>()) // by itself the product reads it in panels
          return false;
        whole = whole + bytesInStrip(input, ofInput(kernel, number), height);
      }
    if (whole.isStatic() && whole.constant() <= kCachedBytes)
      return true;
    StripDims rowsFirst(dimsOf(matrix()).size(), kWhole);
    std::iota(rowsFirst.begin(), rowsFirst.begin() + divided, 0);
    Dim saved = bytesInStrip(matrix(), rowsFirst, height) * Dim(kPasses) - whole;
    return llvm::all_of(saved.getTerms(), [](auto &term) { return term.second >= 0; });
  }

  /// Replaces the kernels by one kernel of strips of this height.
  KernelOp build(int64_t height) {
    OpBuilder builder(last);
    std::string rows = freshName();
    SmallVector<Value> outside;
    SmallVector<Attribute> places;
    DenseMap<Value, Value> inStrip; // of values from outside and of results
    auto region = std::make_unique<Region>();
    Block *body = &region->emplaceBlock();
    /// Makes a value from outside an input, whose dimensions in a strip are `dims`.
    auto addInput = [&](Value value, StripDims dims) -> Value {
      if (withoutUnits(dims).size() != dims.size())
        value = dropUnits(builder, value, dims);
      dims = withoutUnits(dims);
      SmallVector<int64_t> list;
      llvm::copy_if(dims, std::back_inserter(list), [](StripDim dim) { return dim >= 0; });
      Dims extents = dimsOf(value), own;
      if (isOfRows(list))
        own.push_back(Dim::named(rows));
      own.append(extents.begin() + list.size(), extents.end());
      outside.push_back(value);
      places.push_back(builder.getDenseI64ArrayAttr(list));
      return body->addArgument(tensorOf(own, getElementTypeOrSelf(value.getType())), value.getLoc());
    };
    OpBuilder inside(last.getContext());
    inside.setInsertionPointToEnd(body);
    auto partOf = [&](KernelOp kernel) -> const KernelInStrip & { return *parts.find(kernel)->second; };
    VisibleKeys keys(order, partOf);
    Value count; // of the keys that a strip computes
    if ((skips = keys.find())) {
      SmallVector<Value> bounds;
      for (auto &[bound, dims] : keys.emitBounds(builder))
        bounds.push_back(addInput(bound, dims));
      count = VisibleKeys::emitCount(inside, last.getLoc(), bounds);
    }
    for (KernelOp kernel : order) {
      const KernelInStrip &part = *parts.find(kernel)->second;
      SmallVector<Value> inputs;
      for (auto [number, input] : llvm::enumerate(kernel.getInputs())) {
        Value known = inStrip.lookup(input); // a result of the group
        inputs.push_back(known ? known : addInput(input, StripDims(part.ofInput(number))));
      }
      for (IotaOp iota : part.dividedIotas())
        inputs.push_back(addInput(indices(builder, iota, part.dimOf(iota)), {part.dimOf(iota)}));
      KernelOp made = part.create(inside, inputs, rows);
      if (count)
        keys.limit(kernel, made, count);
      for (auto [whole, ofStrip] : llvm::zip_equal(kernel.getResults(), made.getResults()))
        inStrip[whole] = ofStrip;
    }
    SmallVector<Value> yielded;
    for (Value result : readOutside())
      yielded.push_back(inStrip.lookup(result));
    YieldOp::create(inside, last.getLoc(), yielded);
    return wrap(builder, outside, builder.getArrayAttr(places), rows, height, std::move(region));
  }

private:
  /// Returns the bytes of a value's part in a full strip.
  Dim bytesInStrip(Value value, ArrayRef<StripDim> dims, int64_t height) const {
    Dim bytes(std::max(1u, cast<RankedTensorType>(value.getType()).getElementTypeBitWidth() / 8));
    for (auto [dim, extent] : llvm::zip_equal(dims, dimsOf(value)))
      if (dim == kWhole || isOfRows(dim))
        bytes = bytes * (dim == kWhole ? extent : Dim(height));
    return bytes;
  }

  bool isOfRows(ArrayRef<StripDim> dims) const { return llvm::is_contained(dims, StripDim(divided - 1)); }
  ArrayRef<StripDim> ofInput(KernelOp kernel, unsigned number) const { return parts.find(kernel)->second->ofInput(number); }

  bool add(KernelOp kernel, ArrayRef<StripDims> ofResults) {
    auto part = std::make_unique<KernelInStrip>(kernel, divided - 1);
    if (parts.contains(kernel) || !part->infer(ofResults))
      return false;
    parts[kernel] = std::move(part);
    order.push_back(kernel);
    return true;
  }

  /// Returns the dimensions of a value with one element for each row.
  StripDims oneForEachRow() const { return llvm::to_vector<4>(llvm::seq<StripDim>(0, divided)); }

  /// Returns the dimensions of the results of a matrix's kernel: those of the matrix, and one element for each row.
  SmallVector<StripDims> resultsLike(OpResult matrix, ArrayRef<StripDim> dims) const {
    SmallVector<StripDims> ofResults(matrix.getOwner()->getNumResults(), oneForEachRow());
    ofResults[matrix.getResultNumber()] = StripDims(dims);
    return ofResults;
  }

  /// True if a kernel makes this matrix, and only `reader` reads it, once, so that nobody needs it as a whole. The kernel's
  /// other results have one element for each row.
  bool isOnlyFor(OpResult matrix, KernelOp reader) const {
    auto kernel = dyn_cast<KernelOp>(matrix.getOwner());
    if (!kernel || !matrix.hasOneUse() || kernel->getBlock() != reader->getBlock() || !isCompiled(kernel) ||
        kernel->hasAttr(kSizedUnitsAttr))
      return false;
    return llvm::all_of(kernel.getResults(), [&](Value result) { return result == matrix || dimsOf(result) == extents(); });
  }

  bool isInside(Operation *op) const { return parts.contains(op); }

  /// Returns the results of the group that other ops read: the last kernel's, and some with one element for each row.
  SmallVector<Value> readOutside() const {
    SmallVector<Value> results;
    for (KernelOp kernel : order)
      llvm::copy_if(kernel.getResults(), std::back_inserter(results), [&](Value result) {
        return kernel == last || llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); });
      });
    return results;
  }

  /// True if other ops read the group's results after its last kernel.
  bool othersReadLater() const {
    return llvm::all_of(readOutside(), [&](Value result) {
      return llvm::all_of(result.getUsers(), [&](Operation *user) {
        Operation *inBlock = last->getBlock()->findAncestorOpInBlock(*user);
        return isInside(user) || !inBlock->isBeforeInBlock(last);
      });
    });
  }

  /// True if each input of the group is read in slices. Its kernels' own results are in scratch memory, in which rows come
  /// first.
  bool inputsAreSlices() const {
    return llvm::all_of(order, [&](KernelOp kernel) {
      return llvm::all_of(llvm::seq(kernel->getNumOperands()), [&](unsigned number) {
        StripDims dims = withoutUnits(ofInput(kernel, number));
        auto made = dyn_cast<OpResult>(kernel.getInputs()[number]);
        if (!made || !isInside(made.getOwner()))
          return isSlice(dims);
        return made.hasOneUse() || ofInput(kernel, number) == ArrayRef(oneForEachRow());
      });
    });
  }

  /// Returns a view of the value without its dimensions of one index that strips lack.
  static Value dropUnits(OpBuilder &builder, Value value, ArrayRef<StripDim> dims) {
    Dims kept;
    for (auto [dim, extent] : llvm::zip_equal(dims, dimsOf(value)))
      if (dim != kUnit)
        kept.push_back(extent);
    return ReshapeOp::create(builder, value.getLoc(), value, shapeOf(builder.getContext(), kept), UnitAttr(), UnitAttr());
  }

  /// Returns the indices of a divided dimension, from a kernel of its own.
  Value indices(OpBuilder &builder, IotaOp iota, StripDim dim) const {
    Dims extent{extents()[dim]};
    RankedTensorType type = tensorOf(extent, getElementTypeOrSelf(iota.getType()));
    auto kernel = KernelOp::create(builder, iota.getLoc(), type, ValueRange());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&kernel.getBody());
    Value made = IotaOp::create(builder, iota.getLoc(), type, 0, shapeOf(builder.getContext(), extent), type.getElementType());
    YieldOp::create(builder, iota.getLoc(), made);
    return kernel.getResult(0);
  }

  /// Returns a name for the rows of a strip that no type of the function has.
  std::string freshName() const {
    llvm::StringSet<> taken;
    last->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        for (const Dim &dim : dimsOf(operand))
          for (const std::string &name : namesIn(dim))
            taken.insert(name);
    });
    std::string name = "strip";
    for (unsigned i = 2; taken.contains(name); ++i)
      name = "strip" + std::to_string(i);
    return name;
  }

  KernelOp wrap(OpBuilder &builder, ValueRange outside, ArrayAttr places, StringRef rows, int64_t height,
                std::unique_ptr<Region> region) {
    SmallVector<Value> read = readOutside();
    SmallVector<Type> types = llvm::to_vector(ValueRange(read).getTypes());
    auto strips = StripsOp::create(builder, last.getLoc(), types, outside, shapeOf(builder.getContext(), extents()), places,
                                   rows, height);
    strips.getBody().takeBody(*region);
    RankedTensorType memory = StripMemory(strips).type(builder.getContext());
    types.push_back(memory);
    auto kernel = KernelOp::create(builder, last.getLoc(), types, outside);
    Block &body = kernel.getBody().emplaceBlock();
    for (auto [i, value] : llvm::enumerate(outside))
      strips->setOperand(i, body.addArgument(value.getType(), value.getLoc()));
    strips->moveBefore(&body, body.end());
    builder.setInsertionPointToEnd(&body);
    SmallVector<Value> yielded = llvm::to_vector_of<Value>(strips.getResults());
    yielded.push_back(ScratchOp::create(builder, last.getLoc(), memory));
    YieldOp::create(builder, last.getLoc(), yielded);
    for (auto [old, made] : llvm::zip(read, kernel.getResults()))
      old.replaceAllUsesWith(made);
    for (KernelOp old : llvm::reverse(order))
      old.erase();
    return kernel;
  }

  mutable KernelOp last; // MLIR's accessors are not const
  size_t divided;
  bool skips = false;
  SmallVector<KernelOp> order; // while collecting the last kernel first, then in program order
  DenseMap<Operation *, std::unique_ptr<KernelInStrip>> parts;
};

struct CutStripsPass : lathe::impl::CutStripsPassBase<CutStripsPass> {
  using CutStripsPassBase::CutStripsPassBase;

  void runOnOperation() final {
    SmallVector<KernelOp> candidates;
    getOperation().walk([&](KernelOp kernel) {
      if (productOf(kernel))
        candidates.push_back(kernel);
    });
    llvm::SmallPtrSet<Operation *, 8> gone;
    for (KernelOp kernel : llvm::reverse(candidates)) {
      if (gone.contains(kernel))
        continue;
      StripGroup group(kernel);
      std::optional<int64_t> rows = group.collect() ? heightFor(group) : std::nullopt;
      if (!rows)
        continue;
      gone.insert_range(group.kernels());
      size_t count = group.kernels().size();
      std::string bytes = byteSize(group.matrix()).str();
      KernelOp made = group.build(*rows);
      ++cut;
      skipping += group.skipsKeys();
      explain(made.getLoc(), "fusion", "{} kernels compute {} rows at a time; their matrices of {} bytes are never stored{}",
              count, *rows, bytes, group.skipsKeys() ? ", and keys after the last one that a row sees are skipped" : "");
    }
  }

private:
  /// Returns the rows of a strip: `height` or, for few rows, half of it. Returns nullopt if strips do not pay.
  std::optional<int64_t> heightFor(const StripGroup &group) const {
    for (int64_t rows : {height.getValue(), (height.getValue() + 1) / 2})
      if (isWorthIt(group, rows))
        return rows;
    return std::nullopt;
  }

  /// True if the values between the kernels leave the caches, and take more memory than their strips.
  bool isWorthIt(const StripGroup &group, int64_t height) const {
    if (!group.readsLittle(height))
      return false;
    Dim bytes = byteSize(group.matrix()), rows = productOf(group.extents());
    return !bytes.isStatic() || (bytes.constant() >= least && rows.constant() > StripMemory::kMostAreas * height);
  }
};
} // namespace

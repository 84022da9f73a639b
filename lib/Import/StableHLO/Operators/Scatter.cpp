// Scatter in full generality, by one scatter along the joined indexed dimensions, or by a loop over the updates for any body.
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include "lib/Import/StableHLO/Operators/Indices.h"
#include "lib/Import/StableHLO/Operators/Loops.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// A scatter: where each update goes, and the operands and updates as tables.
struct Scatter {
  Value places; // in the joined dimension; -1 for an update that is out of bounds
  SmallVector<Value> tables, updates;
  std::optional<Table> table;
  Dims batchDims, windowDims, restDims;
  size_t shared = 0;
};
} // namespace

/// Returns the size of an update along each dimension of the operand; 1 for those that an update does not have.
static std::optional<Integers> windowSizes(HloNode &node, ArrayRef<Dim> updates, ArrayRef<int64_t> windowDims,
                                           ArrayRef<int64_t> absent, ArrayRef<int64_t> shared, size_t rank) {
  Integers sizes(rank, 1);
  size_t next = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(absent, dim) || llvm::is_contained(shared, dim))
      continue;
    int64_t at = next < windowDims.size() ? windowDims[next++] : -1;
    if (at < 0 || at >= int64_t(updates.size()) || !updates[at].isStatic()) {
      node.refuse("update_window_dims do not fit the operand, or an update has no fixed size");
      return std::nullopt;
    }
    sizes[dim] = updates[at].constant();
  }
  return sizes;
}

/// Returns the updates with the dimensions of the indices first, then those of windows, then the others.
static Value arrange(HloNode &node, Value update, ArrayRef<int64_t> updateWindow, ArrayRef<int64_t> ofWindow,
                     const IndexVectors &vectors, ArrayRef<int64_t> windows, ArrayRef<int64_t> rest) {
  Integers batch, order;
  for (int64_t dim = 0; dim < rankOf(update); ++dim)
    if (!llvm::is_contained(updateWindow, dim))
      batch.push_back(dim);
  for (int64_t label : vectors.batchLabels) {
    if (-1 - label >= int64_t(batch.size())) {
      node.refuse("the updates have fewer dimensions than the indices need");
      return {};
    }
    order.push_back(batch[-1 - label]);
  }
  for (ArrayRef<int64_t> dims : {windows, rest})
    for (int64_t dim : dims)
      if (auto found = llvm::find(ofWindow, dim); found != ofWindow.end())
        order.push_back(updateWindow[found - ofWindow.begin()]);
  return node.transpose(update, order);
}

static std::optional<Scatter> readScatter(HloNode &node) {
  unsigned count = node.results();
  DictionaryAttr numbers = node.dictionary("scatter_dimension_numbers");
  ArrayRef<int64_t> updateWindow = numbersIn(numbers, "update_window_dims"),
                    absent = numbersIn(numbers, "inserted_window_dims"), shared = numbersIn(numbers, "input_batching_dims"),
                    map = numbersIn(numbers, "scatter_dims_to_operand_dims");
  if (node.operands() != 2 * count + 1 || count == 0) {
    node.refuse("expected an update for each operand");
    return std::nullopt;
  }
  Dims dims = node.dims(0);
  IndexVectors vectors(node, node.operand(count), numberIn(numbers, "index_vector_dim"),
                       numbersIn(numbers, "scatter_indices_batching_dims"));
  std::optional<Integers> sizes = windowSizes(node, node.dims(count + 1), updateWindow, absent, shared, dims.size());
  if (!sizes || node.failed() || !checkIndices(node, vectors, map, shared, dims, sizes->size()))
    return std::nullopt;
  Scatter scatter;
  Integers indexed, rest, windows, ofWindow; // the operand's dimensions
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim) {
    if (llvm::is_contained(shared, dim))
      continue;
    bool isIndexed = llvm::is_contained(map, dim) || dims[dim] != Dim((*sizes)[dim]);
    (isIndexed ? indexed : rest).push_back(dim);
    bool isWindow = !llvm::is_contained(absent, dim);
    if (isWindow)
      ofWindow.push_back(dim);
    if (isWindow && isIndexed) {
      windows.push_back(dim);
      scatter.windowDims.push_back(Dim((*sizes)[dim]));
    }
    if (!isIndexed)
      scatter.restDims.push_back(dims[dim]);
  }
  scatter.shared = shared.size();
  scatter.batchDims = vectors.batchDims;
  scatter.table.emplace(node, dims, shared, indexed, rest);
  Dims all(vectors.batchDims);
  all.append(scatter.windowDims);
  Value isInside;
  for (int64_t dim : indexed) {
    auto found = llvm::find(map, dim);
    Value start =
        found == map.end() ? node.constantInt(0, node.i64()) : vectors.component(node, found - map.begin(), windows.size());
    Type element = elementOfValue(start);
    if (found != map.end()) {
      Value most = node.size(dims[dim] - Dim((*sizes)[dim]), element);
      Value fits = node.emit<AndOp>(
          {node.compare(CompareKind::GE, start, node.constantInt(0, element)), node.compare(CompareKind::LE, start, most)});
      isInside = isInside ? node.emit<AndOp>({isInside, fits}) : fits;
    }
    Value place = node.convert(scatter.table->placeOf(node, start, dim, windows, (*sizes)[dim]), node.i64());
    scatter.places = scatter.places ? node.emit<AddOp>({scatter.places, place}) : place;
  }
  if (!scatter.places)
    scatter.places = node.constantInt(0, node.i64());
  if (isInside)
    scatter.places = node.emit<SelectOp>({isInside, scatter.places, node.constantInt(-1, node.i64())});
  int64_t rank = rankOf(scatter.places), missing = int64_t(all.size()) - rank;
  scatter.places = node.broadcast(scatter.places, range(missing, all.size()), all);
  for (unsigned i = 0; i < count; ++i) {
    scatter.tables.push_back(scatter.table->join(node, node.operand(i)));
    scatter.updates.push_back(arrange(node, node.operand(count + 1 + i), updateWindow, ofWindow, vectors, windows, rest));
  }
  return node.failed() ? std::nullopt : std::optional(scatter);
}

static std::optional<ScatterKind> kindOf(StringRef combiner) {
  return combiner == "add"        ? std::optional(ScatterKind::Add)
         : combiner == "multiply" ? std::optional(ScatterKind::Mul)
         : combiner == "maximum"  ? std::optional(ScatterKind::Max)
         : combiner == "minimum"  ? std::optional(ScatterKind::Min)
         : combiner == "second"   ? std::optional(ScatterKind::Set)
                                  : std::nullopt;
}

/// Scatters booleans, for which "or" is the largest and "and" the smallest of 0 and 1.
static Value scatterBool(HloNode &node, ScatterKind kind, const Scatter &scatter, size_t shared) {
  Type i32 = node.getBuilder().getI32Type();
  bool isAny = kind == ScatterKind::Add || kind == ScatterKind::Max;
  Value result = node.scatter(isAny ? ScatterKind::Max : ScatterKind::Min, node.convert(scatter.tables[0], i32), scatter.places,
                              node.convert(scatter.updates[0], i32), shared, shared);
  return node.convert(result, node.i1());
}

/// Applies the body to one update after the other.
static void scatterByBody(HloNode &node, Scatter &scatter) {
  unsigned count = scatter.tables.size();
  Dim steps(1), shared(1);
  for (const Dim &dim : dimsOfValue(scatter.places))
    steps = steps * dim;
  for (const Dim &dim : ArrayRef(scatter.batchDims).take_front(scatter.shared))
    shared = shared * dim;
  // The shared dimensions are joined with the indexed ones.
  Value places = scatter.places;
  if (scatter.shared && steps.isStatic() && !steps.isStatic(0)) {
    Dims dims = dimsOfValue(places);
    Integers along = range(0, scatter.shared);
    Dims sharedDims(dims.begin(), dims.begin() + scatter.shared);
    Value number = node.reshape(node.iota(0, shared, node.i64()), sharedDims);
    number = node.broadcast(node.emit<MulOp>({number, node.size(scatter.table->places, node.i64())}), along, dims);
    Value isOutside = node.compare(CompareKind::LT, places, node.constantInt(0, node.i64()));
    places = node.emit<SelectOp>({isOutside, places, node.emit<AddOp>({places, number})});
  }
  SmallVector<Value> first, xs{node.reshape(places, steps)};
  Dims rest = scatter.restDims, table{shared * scatter.table->places}, updates{steps}, one{Dim(1)};
  table.append(rest);
  updates.append(rest);
  one.append(rest);
  for (unsigned i = 0; i < count; ++i) {
    first.push_back(node.reshape(scatter.tables[i], table));
    xs.push_back(node.reshape(scatter.updates[i], updates));
  }
  Region &body = node.op->getRegion(0);
  SmallVector<Value> results = emitScan(node, first, xs, [&](ValueRange carries, ValueRange slices) {
    SmallVector<Value> starts{slices[0]}, arguments, next;
    starts.append(rest.size(), node.constantInt(0, node.i64()));
    for (Value carry : carries) {
      SmallVector<Value> operands{carry};
      operands.append(starts);
      arguments.push_back(node.reshape(node.emit<DynamicSliceOp>(operands, node.shape("sizes", one)), rest));
    }
    SmallVector<Value> olds(arguments);
    arguments.append(slices.begin() + 1, slices.end());
    SmallVector<Value> combined = node.liftRegion(body, arguments, rest);
    if (node.failed() || combined.size() != count)
      return next;
    Value isInside = node.compare(CompareKind::GE, slices[0], node.constantInt(0, node.i64()));
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<Value> operands{carries[i], node.reshape(node.emit<SelectOp>({isInside, combined[i], olds[i]}), one)};
      operands.append(starts);
      next.push_back(node.emit<DynamicUpdateSliceOp>(operands));
    }
    return next;
  });
  for (auto [i, result] : llvm::enumerate(results))
    node.set(i, scatter.table->split(node, node.reshape(result, dimsOfValue(scatter.tables[i]))));
}

static void convert(HloNode &node) {
  std::optional<Scatter> scatter = readScatter(node);
  if (!scatter)
    return;
  StringRef combiner = combinerOf(node.op->getRegion(0));
  std::optional<ScatterKind> kind = kindOf(combiner);
  bool isBool = node.resultElement().isInteger(1);
  if (isBool && (combiner == "or" || combiner == "and"))
    kind = combiner == "or" ? ScatterKind::Max : ScatterKind::Min;
  std::optional<Dim> updates = numElements(dimsOfValue(scatter->places));
  if (updates && updates->isStatic(0))
    return node.set(node.operandRange(0, node.results()));
  if (!kind || node.results() != 1)
    return scatterByBody(node, *scatter);
  size_t shared = scatter->shared;
  Value result = isBool && *kind != ScatterKind::Set
                     ? scatterBool(node, *kind, *scatter, shared)
                     : node.scatter(*kind, scatter->tables[0], scatter->places, scatter->updates[0], shared, shared);
  node.set(0, scatter->table->split(node, result));
}

void hloimport::addScatters(Converters &converters) { converters["stablehlo.scatter"] = convert; }

// Gather in full generality: slices of an operand at start indices, by one gather along the joined indexed dimensions.
#include "lib/Import/StableHLO/Operators/Indices.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// The dimension numbers of a gather.
struct Numbers {
  ArrayRef<int64_t> offset, collapsed, operandBatch, indexBatch, map;
  int64_t vectorDim;
};
} // namespace

static Numbers readNumbers(HloNode &node) {
  DictionaryAttr numbers = node.dictionary("dimension_numbers");
  return {numbersIn(numbers, "offset_dims"),           numbersIn(numbers, "collapsed_slice_dims"),
          numbersIn(numbers, "operand_batching_dims"), numbersIn(numbers, "start_indices_batching_dims"),
          numbersIn(numbers, "start_index_map"),       numberIn(numbers, "index_vector_dim")};
}

/// Moves the dimensions of slices to where the result has them: `value` has the dimensions `labels`, where the operand's
/// dimension d is d and the indices' batch dimension b is -1 - b.
static Value arrange(HloNode &node, Value value, ArrayRef<int64_t> labels, ArrayRef<int64_t> offset) {
  Integers slices, batch, order;
  for (int64_t label : labels)
    (label >= 0 ? slices : batch).push_back(label);
  llvm::sort(slices);
  llvm::sort(batch, std::greater<>());
  size_t nextSlice = 0, nextBatch = 0;
  for (int64_t dim = 0; dim < int64_t(labels.size()); ++dim) {
    bool isOffset = llvm::is_contained(offset, dim);
    if (isOffset ? nextSlice == slices.size() : nextBatch == batch.size()) {
      node.refuse("offset_dims do not fit the operand and the indices");
      return {};
    }
    order.push_back(llvm::find(labels, isOffset ? slices[nextSlice++] : batch[nextBatch++]) - labels.begin());
  }
  return node.transpose(value, order);
}

/// Gathers one slice, whose start is a vector of indices.
static void gatherOne(HloNode &node, const Numbers &numbers, Value indices, ArrayRef<Dim> sizes) {
  SmallVector<Value> operands{node.operand(0)};
  Value zero = node.constantInt(0, elementOfValue(indices));
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    auto found = llvm::find(numbers.map, dim);
    int64_t at = found - numbers.map.begin();
    operands.push_back(found == numbers.map.end() ? zero : node.reshape(node.slice(indices, 0, Dim(at), Dim(at + 1)), {}));
  }
  Value slice = node.emit<DynamicSliceOp>(operands, node.shape("sizes", sizes));
  Dims kept;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(numbers.collapsed, dim))
      kept.push_back(size);
  node.set(0, node.reshape(slice, kept));
}

static void gatherSlices(HloNode &node, ArrayRef<Dim> sizes) {
  Numbers numbers = readNumbers(node);
  Dims dims = node.dims(0);
  Value operand = node.operand(0);
  IndexVectors vectors(node, node.operand(1), numbers.vectorDim, numbers.indexBatch);
  if (node.failed() || !checkIndices(node, vectors, numbers.map, numbers.operandBatch, dims, sizes.size()))
    return;
  if (vectors.batchLabels.empty())
    return gatherOne(node, numbers, vectors.value, sizes);
  // The operand's dimensions: shared ones, indexed ones, then the others.
  Integers indexed, rest, labels(vectors.batchLabels);
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim) {
    if (llvm::is_contained(numbers.operandBatch, dim))
      continue;
    bool isIndexed = llvm::is_contained(numbers.map, dim) && dims[dim] != sizes[dim];
    if (isIndexed && !sizes[dim].isStatic())
      return node.refuse("slices along an indexed dimension must have sizes that are numbers, or the whole dimension");
    (isIndexed ? indexed : rest).push_back(dim);
    if (!isIndexed)
      operand = node.slice(operand, dim, Dim(0), sizes[dim]);
  }
  Table table(node, dims, numbers.operandBatch, indexed, rest);
  Value joined = table.join(node, operand);
  Value places;
  Integers windows;
  for (int64_t dim : indexed)
    if (!llvm::is_contained(numbers.collapsed, dim))
      windows.push_back(dim);
  for (int64_t dim : indexed) {
    int64_t at = llvm::find(numbers.map, dim) - numbers.map.begin();
    Value start = vectors.component(node, at, windows.size());
    Type element = elementOfValue(start);
    Value last = node.size(dims[dim] - sizes[dim], element);
    start = node.emit<ClampOp>({node.constantInt(0, element), start, last});
    Value place = table.placeOf(node, start, dim, windows, sizes[dim].constant());
    places = places ? node.emit<AddOp>({places, place}) : place;
  }
  if (indexed.empty()) // each index is 0
    places = node.broadcast(node.constantInt(0, node.i64()), {}, vectors.batchDims);
  Value slices = node.gather(joined, places, numbers.operandBatch.size(), numbers.operandBatch.size());
  // Dimensions of size 1 that the result does not have go; those of slices along indexed dimensions are there already.
  Dims kept(vectors.batchDims);
  for (int64_t dim : windows) {
    labels.push_back(dim);
    kept.push_back(sizes[dim]);
  }
  for (int64_t dim : rest)
    if (!llvm::is_contained(numbers.collapsed, dim)) {
      labels.push_back(dim);
      kept.push_back(sizes[dim]);
    }
  node.set(0, arrange(node, node.reshape(slices, kept), labels, numbers.offset));
}

static void gather(HloNode &node) { gatherSlices(node, asDims(node.numbers("slice_sizes"))); }

static void dynamicGather(HloNode &node) { gatherSlices(node, node.knownDims(2)); }

/// Converts torch_index_select: a gather along one dimension.
static void indexSelect(HloNode &node) {
  node.set(0, node.gather(node.operand(0), node.asIndex(node.operand(1)), node.integer("dim"), node.integer("batch_dims")));
}

void hloimport::addIndexing(Converters &converters) {
  converters["stablehlo.gather"] = gather;
  converters["stablehlo.dynamic_gather"] = dynamicGather;
  converters["stablehlo.torch_index_select"] = indexSelect;
}

#include "lib/Import/StableHLO/Operators/Indices.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

IndexVectors::IndexVectors(HloNode &node, Value indices, int64_t vectorDim, ArrayRef<int64_t> shared) {
  int64_t rank = rankOf(indices);
  if (vectorDim < 0 || vectorDim > rank) {
    node.refuse("index_vector_dim is " + Twine(vectorDim) + ", expected 0 to " + Twine(rank));
    return;
  }
  value = node.asIndex(indices);
  if (vectorDim == rank) { // each index is a vector
    Dims dims = dimsOfValue(value);
    dims.push_back(Dim(1));
    value = node.reshape(value, dims);
    ++rank;
  }
  Integers order(shared);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != vectorDim && !llvm::is_contained(shared, dim))
      order.push_back(dim);
  for (int64_t dim : order)
    batchLabels.push_back(-1 - (dim > vectorDim ? dim - 1 : dim));
  order.push_back(vectorDim);
  value = node.transpose(value, order);
  batchDims = dimsOfValue(value);
  if (node.failed())
    return;
  length = batchDims.back().isStatic() ? batchDims.back().constant() : -1;
  batchDims.pop_back();
}

Value IndexVectors::component(HloNode &node, int64_t at, size_t windows) const {
  Dims dims(batchDims);
  dims.append(windows, Dim(1));
  return node.reshape(node.slice(value, batchDims.size(), Dim(at), Dim(at + 1)), dims);
}

bool hloimport::checkIndices(HloNode &node, const IndexVectors &vectors, ArrayRef<int64_t> map, ArrayRef<int64_t> shared,
                             ArrayRef<Dim> dims, size_t sizes) {
  if (sizes != dims.size() || vectors.length != int64_t(map.size()))
    node.refuse("the sizes of slices or the indices do not fit an operand of rank " + Twine(dims.size()));
  for (ArrayRef<int64_t> list : {map, shared})
    for (int64_t dim : list)
      if (dim < 0 || dim >= int64_t(dims.size()))
        node.refuse("dimension " + Twine(dim) + " is out of range for an operand of rank " + Twine(dims.size()));
  return !node.failed();
}

Table::Table(HloNode &node, ArrayRef<Dim> dims, ArrayRef<int64_t> shared, ArrayRef<int64_t> indexed, ArrayRef<int64_t> rest)
    : order(shared), indexed(indexed), shared(shared.size()), dims(dims) {
  order.append(indexed.begin(), indexed.end());
  order.append(rest.begin(), rest.end());
  for (int64_t dim : indexed)
    places = places * dims[dim];
}

Value Table::join(HloNode &node, Value operand) const {
  Value moved = node.transpose(operand, order);
  Dims own = dimsOfValue(moved), joined(own.begin(), own.begin() + std::min(shared, own.size()));
  if (node.failed())
    return {};
  joined.push_back(places);
  joined.append(own.begin() + shared + indexed.size(), own.end());
  return node.reshape(moved, joined);
}

Value Table::split(HloNode &node, Value table) const {
  Dims moved;
  Integers back(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    moved.push_back(dims[dim]);
    back[dim] = i;
  }
  return node.transpose(node.reshape(table, moved), back);
}

Value Table::placeOf(HloNode &node, Value start, int64_t dim, ArrayRef<int64_t> windows, int64_t size) const {
  Dim pitch(1);
  for (int64_t after : ArrayRef(indexed).drop_front(llvm::find(indexed, dim) - indexed.begin() + 1))
    pitch = pitch * dims[after];
  if (!places.isStatic() || places.constant() > INT32_MAX)
    start = node.convert(start, node.i64());
  Type element = elementOfValue(start);
  auto window = llvm::find(windows, dim);
  if (window != windows.end() && size != 1) {
    Dims along(windows.size(), Dim(1));
    along[window - windows.begin()] = Dim(size);
    start = node.emit<AddOp>({start, node.iota(window - windows.begin(), along, element)});
  }
  return pitch.isStatic(1) ? start : node.emit<MulOp>({start, node.size(pitch, element)});
}

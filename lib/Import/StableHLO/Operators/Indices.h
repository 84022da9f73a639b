// Gathers and scatters use vectors of indices, and tables whose indexed dimensions are joined into one.
#ifndef LATHE_IMPORT_STABLEHLO_OPERATORS_INDICES_H
#define LATHE_IMPORT_STABLEHLO_OPERATORS_INDICES_H

#include "lib/Import/StableHLO/Operators/Operators.h"

namespace lathe::hloimport {

/// A tensor of index vectors, with the vectors along the last dimension and the dimensions shared with the operand first.
struct IndexVectors {
  IndexVectors(HloNode &node, Value indices, int64_t vectorDim, ArrayRef<int64_t> shared);
  /// Returns component `at` of all vectors, with `windows` dimensions of size 1 after those of the batch.
  Value component(HloNode &node, int64_t at, size_t windows) const;

  Value value;
  int64_t length = 0;   // of a vector
  Dims batchDims;       // without the vectors
  Integers batchLabels; // -1 - b for the b-th batch dimension of the program
};

/// True if the numbers of dimensions fit, that of the slices' sizes too; refuses the op otherwise.
bool checkIndices(HloNode &node, const IndexVectors &vectors, ArrayRef<int64_t> map, ArrayRef<int64_t> shared,
                  ArrayRef<Dim> dims, size_t sizes);

/// The view of an operand as a table: the dimensions that it shares with the indices, one for all indexed dimensions, and the
/// others.
struct Table {
  Table(HloNode &node, ArrayRef<Dim> dims, ArrayRef<int64_t> shared, ArrayRef<int64_t> indexed, ArrayRef<int64_t> rest);
  /// Returns the operand, possibly cut in its other dimensions, as a table; and the reverse.
  Value join(HloNode &node, Value operand) const;
  Value split(HloNode &node, Value table) const;
  /// Returns what the indices along an indexed dimension add to places in the table. If the dimension is among `windows`, it
  /// adds those of `size` consecutive elements.
  Value placeOf(HloNode &node, Value start, int64_t dim, ArrayRef<int64_t> windows, int64_t size) const;

  Integers order, indexed;
  size_t shared;
  Dims dims;           // of the operand
  Dim places = Dim(1); // number of elements of the joined dimension
};

} // namespace lathe::hloimport

#endif

// A scatter as lines of rows of columns, and the scratch memory of a scatter that adds floats.
#ifndef LATHE_IR_SCATTER_MEMORY_H
#define LATHE_IR_SCATTER_MEMORY_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// The tensor's shape as [outer, length, inner], lines of rows of columns, and that of its updates as [outer, picks, inner].
struct ScatterLines {
  Dim outer{1}, length{1}, inner{1}, picks{1};
  Dim perIndex{1}; // lines that share their indices
  Dim perItem{1};  // lines with the same index in the first dimension
  bool hasSlices;  // an index picks a row of several dimensions or columns

  explicit ScatterLines(ScatterOp op);
};

/// The scratch memory of a scatter that sums up floats on a CPU. Lines of few columns have sums in f64, if they have enough
/// updates to pay for these. For all others an element's updates come in chains, after which its digits are moved to a second
/// sum. Areas are for calls that may run at the same time: lines, or columns of the only line. An area holds, in words of 8
/// bytes,
///
///   counts: for each row, the updates in its chain, i8
///   numbers: for each row that has ended a chain, its number among these, i32
///   rows: the rows by these numbers, i64
///   doubles: sums of a line in f64
///   carried: second sums of `rows`; calls for columns share these, which are in front of the areas
struct ScatterMemory {
  static constexpr int64_t kChain = 32;        // updates of a chain
  static constexpr int64_t kColumns = 256;     // columns per area
  static constexpr int64_t kMostAreas = 16;    // for lines: the most slots of its parallel loop
  static constexpr int64_t kFewColumns = 8;    // most columns of sums in f64
  static constexpr int64_t kRowsPerUpdate = 4; // most rows of these

  Dim areas{1};
  Dim counts, numbers, rows, doubles, carried; // words
  bool sharesCarried;

  explicit ScatterMemory(ScatterOp op);
  Dim wordsOfArea() const { return counts + numbers + rows + doubles + (sharesCarried ? Dim(0) : carried); }
  Dim words() const { return areas * wordsOfArea() + (sharesCarried ? carried : Dim(0)); }
  /// True if a scatter sums up floats, and may have so many updates of an element that it needs this memory.
  static bool isFor(ScatterOp op);
};

} // namespace lathe

#endif

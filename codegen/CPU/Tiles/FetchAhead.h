// Fetches of the columns that tiles meet next.
#ifndef LATHE_CODEGEN_CPU_TILES_FETCHAHEAD_H
#define LATHE_CODEGEN_CPU_TILES_FETCHAHEAD_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Fetches the columns behind those that some tiles read into the second-level cache, so that their first tile does not wait
/// for memory. Each tile fetches a part, and each step of its loop over products a place of it.
class FetchAhead {
public:
  /// Fetches nothing.
  FetchAhead() = default;
  /// Fetches `bytes` from `from` on during the tiles of `rows` rows, of which each tile has `tileRows` and takes `steps` steps.
  FetchAhead(CodeFrame &frame, mlir::Value from, int64_t bytes, mlir::Value rows, unsigned tileRows, int64_t steps);

  /// True if there may be several tiles that fetch.
  static bool hasTiles(const Dim &rows, unsigned tileRows) { return !rows.isStatic() || rows.constant() > tileRows; }
  explicit operator bool() const { return bool(from); }
  /// Returns the place that the step `step` of the tile after `doneRows` rows fetches; null if there is none.
  mlir::Value at(CodeFrame &frame, mlir::Value doneRows, mlir::Value step) const;
  /// Returns the bytes from there to the place of the next step.
  mlir::Value pitch() const { return stepPitch; }

private:
  mlir::Value from, stepPitch;
  unsigned tileRows = 1;
  int64_t steps = 0;
};

/// Emits the fetch of a step, which a tile's function gets as an address.
void fetchPlace(CodeFrame &frame, mlir::Value place);

} // namespace lathe::cpu

#endif

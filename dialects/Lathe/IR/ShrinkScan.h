// Removal of what nobody needs of a loop, for passes that stop reading some of its values.
#ifndef LATHE_IR_SHRINK_SCAN_H
#define LATHE_IR_SHRINK_SCAN_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// Replaces a scan along its first dimension by one without the stacks that have no uses, and without the carries, consts,
/// slices and ops that the others do not need. Fails if it needs all of its values.
mlir::FailureOr<ScanOp> shrinkScan(ScanOp op, mlir::PatternRewriter &rewriter);

} // namespace lathe

#endif

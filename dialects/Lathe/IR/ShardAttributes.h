// Attributes that inform the emitter of steps and state that several contexts or ranks share.
#ifndef LATHE_IR_SHARDATTRIBUTES_H
#define LATHE_IR_SHARDATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lathe {

/// Attribute of a sharded function: [gradients, update, name of the batch dimension], two FlatSymbolRefAttr and a StringAttr.
/// Lists the axes whose ranks divide the dimensions of a variable, or of an argument or a result of an entry; "" for none.
inline constexpr llvm::StringLiteral kShardAttr = "lathe.shard";

/// Unit attribute of a function that runs on several contexts of a process at the same time: the gradients of a sharded step.
inline constexpr llvm::StringLiteral kOnContextsAttr = "lathe.on_contexts";

/// Unit attribute of a lathe.minimize whose micro-batches are added as a balanced tree; their number is known. Then of the scan
/// that collects their losses and gradients, and of each op that gives a mean of these.
inline constexpr llvm::StringLiteral kTreeSumsAttr = "lathe.tree_sums";

/// Attribute of the scan over the micro-batches of a lathe.minimize: the number of its first results that are variables (i64).
/// The others are the sums of the losses and of the gradients; the only user of a sum gives the mean.
inline constexpr llvm::StringLiteral kMicroBatchesAttr = "lathe.micro_batches";

/// Attributes of a lathe.variable that holds this rank's part of a variable: the type of the whole one (TypeAttr); for each of
/// its dimensions the axis whose ranks divide it, "" for none (ArrayAttr of StringAttr); and the axis whose ranks have the
/// elements of what is left, in row-major order and padded with zeros, in equal parts (StringAttr). One of the latter two may
/// be absent.
inline constexpr llvm::StringLiteral kWholeAttr = "lathe.whole", kSplitsAttr = "lathe.splits",
                                     kFlatAxisAttr = "lathe.flat_axis";

} // namespace lathe

#endif

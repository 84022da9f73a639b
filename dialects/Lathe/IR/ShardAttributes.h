// The attribute that informs the emitter of a training step that several contexts may share.
#ifndef LATHE_IR_SHARDATTRIBUTES_H
#define LATHE_IR_SHARDATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lathe {

/// Attribute of a sharded function: [gradients, update, name of the batch dimension], two FlatSymbolRefAttr and a StringAttr.
inline constexpr llvm::StringLiteral kShardAttr = "lathe.shard";

} // namespace lathe

#endif

// The bodies of reductions, windows and scatters.
#ifndef LATHE_IMPORT_STABLEHLO_OPERATORS_BODIES_H
#define LATHE_IMPORT_STABLEHLO_OPERATORS_BODIES_H

#include "lib/Import/StableHLO/Operators/Operators.h"

namespace lathe::hloimport {

/// Returns the name of the op in a body that combines its two arguments by one op and returns the result, such as "add";
/// "second" if it returns its second argument; empty for any other body.
StringRef combinerOf(Region &body);

/// Returns the reduction of a combiner for an element type; nullopt if it is not one of Lathe's.
std::optional<ReduceKind> reduceKindOf(StringRef combiner, Type element);

/// Emits the op that combines two values as a reduction does.
Value combine(HloNode &node, ReduceKind kind, Value lhs, Value rhs);

/// True if a value is a constant that a reduction does not notice.
bool isNeutral(ReduceKind kind, Value value);

/// Returns the only element of a constant, possibly broadcast; nullopt for any other value.
std::optional<mlir::Attribute> splatOf(Value value);
/// The same for an integer.
std::optional<int64_t> integerOf(Value value);

/// Combines the values along dimension 0 by a body, neighbours first. Each has `steps` elements there; `rest` are their other
/// dimensions.
SmallVector<Value> reduceByTree(HloNode &node, Region &body, SmallVector<Value> values, int64_t steps, ArrayRef<Dim> rest);

} // namespace lathe::hloimport

#endif

// The families of ops: one function and one file for each, listed in Converters.cpp.
#ifndef LATHE_IMPORT_STABLEHLO_OPERATORS_H
#define LATHE_IMPORT_STABLEHLO_OPERATORS_H

#include "lib/Import/StableHLO/HloNode.h"

namespace lathe::hloimport {

void addElementwise(Converters &converters);
void addBits(Converters &converters);
void addShape(Converters &converters);
void addDynamicShape(Converters &converters);
void addContractions(Converters &converters);
void addConvolutions(Converters &converters);
void addReductions(Converters &converters);
void addWindows(Converters &converters);
void addIndexing(Converters &converters);
void addScatters(Converters &converters);
void addSorts(Converters &converters);
void addLinearAlgebra(Converters &converters);
void addNormalizations(Converters &converters);
void addRandom(Converters &converters);
void addControl(Converters &converters);
void addCalls(Converters &converters);
void addChlo(Converters &converters);
void addSpecial(Converters &converters);
void addShardings(Converters &converters);
void addCollectives(Converters &converters);

/// Converts the composite lathe.custom_gradient to a call of a function with a derivative of its own (CustomGradients.cpp).
void customGradient(HloNode &node);
/// Does the same for a call of a function lathe.custom_gradient.ARGUMENTS.RESULTS; its first operands are sizes. Returns false
/// for any other function.
bool customGradientCall(HloNode &node, llvm::StringRef callee);
/// Converts an assertion about sizes (ShapeAssertions.cpp). Two sizes that must be equal get one name, and the bounds and the
/// divisor of a name are declared. A lower bound of 1 is passed over, since each size may be 0 here.
void assertShapes(HloNode &node);
/// Gives sizes of inputs the names by which a call passes expressions of them to a function of the program.
void namePassedSizes(HloNode &node, llvm::StringRef callee);
/// Converts the few custom calls that have a meaning here (CustomCalls.cpp).
void customCall(HloNode &node);
/// Converts the custom call of a reduce_window whose sizes and pads are operands (Windows.cpp).
void dynamicReduceWindow(HloNode &node);
/// Emits the triangular solution of a system, with Lathe's words for what differs from the lower triangle on the left.
Value solveTriangular(HloNode &node, Value a, Value b, bool isRight, bool isUpper, bool isTransposed, bool isUnit);
/// Emits the Cholesky factor: the lower one, or the upper one from the upper triangle.
Value factor(HloNode &node, Value a, bool isLower);
/// Emits the comparison that a direction names.
Value compareBy(HloNode &node, StringRef direction, Value lhs, Value rhs);
/// Broadcasts the value, whose dimension i becomes dimension `dims[i]`, in any order.
Value broadcastAlong(HloNode &node, Value value, ArrayRef<int64_t> dims, ArrayRef<Dim> shape);
/// Returns integers that compare as the floats do in the total order: -NaN, -inf, ..., -0, 0, ..., inf, NaN.
Value totalOrderKey(HloNode &node, Value value);

} // namespace lathe::hloimport

#endif

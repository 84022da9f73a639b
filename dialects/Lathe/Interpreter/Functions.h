// The elementary functions of the interpreter, by the names of their ops.
#ifndef LATHE_INTERPRETER_FUNCTIONS_H
#define LATHE_INTERPRETER_FUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace lathe {

/// A function of up to three floats. Missing operands are arbitrary, and y is polygamma's order. f32 is computed in f64 and
/// rounded once more, unless `single` is set.
struct ElementaryFunction {
  llvm::StringRef name;
  double (*value)(double x, double y, double z);
  float (*single)(float x, float y, float z) = nullptr;

  template <typename T>
  T operator()(T x, T y = 0, T z = 0) const {
    return sizeof(T) <= sizeof(float) && single ? T(single(float(x), float(y), float(z)))
                                                : T(value(double(x), double(y), double(z)));
  }
};

/// Returns null for an unknown name.
const ElementaryFunction *elementaryFunction(llvm::StringRef name);

} // namespace lathe

#endif

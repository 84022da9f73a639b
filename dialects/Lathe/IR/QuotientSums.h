// Combines sums of quotients into one quotient.
#ifndef LATHE_IR_QUOTIENT_SUMS_H
#define LATHE_IR_QUOTIENT_SUMS_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// Returns the same size with as few quotients as the identity floor(x) + floor(x + 1/2) = floor(2 * x) allows: `H -
/// floor_div(H, 2)` is `ceil_div(H, 2)`. A size without quotients by even numbers is returned unchanged.
Dim combineQuotients(const Dim &dim);

/// During its lifetime, sums in this thread keep their quotients. Generated code receives only the sizes in types, so
/// expressions that are computed from them must not need others.
class KeepQuotients {
public:
  KeepQuotients();
  ~KeepQuotients();
  KeepQuotients(const KeepQuotients &) = delete;
};

} // namespace lathe

#endif

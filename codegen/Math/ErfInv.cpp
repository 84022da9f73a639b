// The inverse of the error function.
#include "codegen/Math/Functions.h"
#include "lib/Support/ErfInvTerms.h"

namespace lathe::elementary {

Real erfInv(Real x) {
  Real magnitude = abs(x);
  Real w = -log((1.0 - magnitude) * (1.0 + magnitude)), root = sqrt(w);
  Mask tail = w >= x.pick(5.0, 5.5), far = root >= 4.0;
  Real factor = x;
  if (x.isSingle()) {
    Real t = select(tail, root - 3.2, w - 2.5);
    factor = polynomial(t, tail, erfInvSingleTail, erfInvSingle);
  } else {
    Real t = select(far, root - 5.1, select(tail, root - 3.15, w - 2.75));
    factor = polynomial(t, std::size(erfInvDouble), [&](size_t i) {
      return select(far, erfInvDoubleFarTail[i], select(tail, erfInvDoubleTail[i], x.like(erfInvDouble[i])));
    });
  }
  return select(magnitude == 1.0, copysign(x.like(x.infinity()), x), x * factor);
}

} // namespace lathe::elementary

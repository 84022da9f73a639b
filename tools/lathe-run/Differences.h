// Derivatives by central differences, with a judgement of how far they can be believed.
#ifndef LATHE_TOOLS_LATHE_RUN_DIFFERENCES_H
#define LATHE_TOOLS_LATHE_RUN_DIFFERENCES_H

#include "tools/lathe-run/Runner.h"

inline constexpr double kGradcheckTolerance = 1e-5;

struct Difference {
  enum Kind {
    Resolved,   // good to a quarter of the tolerance
    Unresolved, // the function is smooth here, but its rounding exceeds the tolerance
    Skipped     // a kink in every neighbourhood that was tried
  } kind = Skipped;
  double value = 0;
  double rounding = 0; // of f64 in the value
};

/// The verdict on a derivative compared with a finite difference.
struct Judgement {
  enum Kind {
    Agrees,
    Zero,   // both are zero within the rounding
    Untold, // the rounding is too large to tell, or there is a kink
    Differs
  } kind = Untold;
  double relative = 0; // error of those that agree or differ; infinite for a NaN derivative
};
/// `typical` as in `along`.
Judgement judge(double derivative, double typical, const Difference &difference);

/// Differences of sum(cotangents * results) by one of a runner's f64 inputs, around the given inputs.
class Differences {
public:
  /// `inputs` are changed while this works, and are as before after it. `values` are the results there.
  Differences(Runner &runner, Tensors &inputs, size_t input, const Tensors &values, const Tensors &cotangents);

  /// Along a unit vector. `typical` is a derivative's usual size, below which it need not be known relative to itself.
  Expected<Difference> along(const std::vector<double> &direction, double typical);

private:
  /// The results at both sides, as their distances from the middle.
  struct Sides {
    double slope = 0, bend = 0; // central difference, and the difference of the slopes on both sides
  };
  Expected<Sides> at(const std::vector<double> &direction, double step);
  Expected<Tensors> moved(const std::vector<double> &direction, double step);

  Runner &runner;
  Tensors &inputs;
  size_t input;
  const Tensors &values, &cotangents;
  double magnitude = 0; // of what is differentiated, and of the input
  double extent = 1;
};

#endif

// Derivatives by central differences, with an estimate of their reliability.
#ifndef LATHE_TOOLS_LATHE_RUN_DIFFERENCES_H
#define LATHE_TOOLS_LATHE_RUN_DIFFERENCES_H

#include "tools/lathe-run/Runner.h"

inline constexpr double kGradcheckTolerance = 1e-5;

struct Difference {
  enum Kind {
    Resolved,   // accurate to a quarter of the tolerance
    Unresolved, // the function is smooth here, but its rounding exceeds the tolerance
    Skipped     // a kink in every neighbourhood that was tried
  } kind = Skipped;
  double value = 0;
  double rounding = 0; // error of the value from f64 rounding
};

/// The verdict on a derivative compared with a finite difference.
struct Judgement {
  enum Kind {
    Agrees,
    Zero,   // both are zero within the rounding
    Untold, // the rounding is too large to decide, or there is a kink
    Differs
  } kind = Untold;
  double relative = 0; // error of those that agree or differ; infinite for a NaN derivative
};
/// Compares a derivative with a difference. `typical` is as in `along`.
Judgement judge(double derivative, double typical, const Difference &difference);

/// Differences of sum(cotangents * results) by one of a runner's f64 inputs, around the given inputs.
class Differences {
public:
  /// `inputs` are changed temporarily and then restored. `values` are the results for them.
  Differences(Runner &runner, Tensors &inputs, size_t input, const Tensors &values, const Tensors &cotangents);

  /// Returns the difference along a unit vector. `typical` is a derivative's usual size; smaller derivatives need no relative
  /// accuracy.
  Expected<Difference> along(const std::vector<double> &direction, double typical);

private:
  /// The results on both sides, as distances from the middle.
  struct Sides {
    double slope = 0, bend = 0; // central difference, and the difference of the slopes on both sides
  };
  Expected<Sides> at(const std::vector<double> &direction, double step);
  Expected<Tensors> moved(const std::vector<double> &direction, double step);

  Runner &runner;
  Tensors &inputs;
  size_t input;
  const Tensors &values, &cotangents;
  double magnitude = 0; // of the differentiated sum, and of the input
  double extent = 1;
};

#endif

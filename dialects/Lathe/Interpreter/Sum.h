// Sums of the reference interpreter: any order of their terms gives the same result, except for the last bit.
#ifndef LATHE_INTERPRETER_SUM_H
#define LATHE_INTERPRETER_SUM_H

#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include <vector>

namespace lathe {
namespace scalar {

/// A sum of many terms with more digits than its terms, so that its error is that of rounding the result.
template <typename T>
class Sum {
public:
  void add(T term) { total = scalar::add(total, term); }
  void addProduct(T a, T b) { add(scalar::mul(a, b)); }
  T value() const { return total; }

private:
  T total = 0;
};

template <>
class Sum<float> {
public:
  void add(float term) { total += term; }
  void addProduct(float a, float b) { total += double(a) * double(b); } // the product is exact
  float value() const { return float(total); }

private:
  double total = 0;
};

/// Keeps the rounding error beside the total (Knuth's TwoSum).
template <>
class Sum<double> {
public:
  void add(double term) {
    double next = total + term, added = next - total;
    lost += (total - (next - added)) + (term - added);
    total = next;
  }
  void addProduct(double a, double b) { add(a * b); }
  double value() const { return std::isfinite(total) ? total + lost : total; } // the rounding error of an infinity is NaN

private:
  double total = 0, lost = 0;
};

} // namespace scalar

/// Returns the values of sums as a tensor.
template <typename T>
Tensor tensorOfSums(Element element, llvm::ArrayRef<int64_t> shape, const std::vector<scalar::Sum<T>> &sums) {
  Tensor result(element, shape);
  for (size_t i = 0; i < sums.size(); ++i)
    result.data<T>()[i] = sums[i].value();
  return result;
}

} // namespace lathe

#endif

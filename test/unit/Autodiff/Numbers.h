// Random arguments of functions, and inner products of lists of tensors.
#ifndef LATHE_TEST_AUTODIFF_NUMBERS_H
#define LATHE_TEST_AUTODIFF_NUMBERS_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "test/unit/Autodiff/Derive.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <random>

using Tensors = std::vector<lathe::Tensor>;

/// Draws tensors: floats from low to high, each of which is an f32, integers on both sides of [0, 4).
struct Draw {
  double low = -1.5, high = 1.5;
  std::mt19937_64 engine{1};

  /// A graph's numbers are its own, whatever was drawn before: graphs may come in any order.
  void beginGraph(llvm::StringRef name) { engine.seed(llvm::xxh3_64bits(name)); }

  Tensors operator()(llvm::ArrayRef<mlir::Type> types) {
    Tensors tensors;
    for (mlir::Type type : types) {
      llvm::SmallVector<int64_t> shape;
      for (const lathe::Dim &dim : lathe::dimsOf(mlir::cast<mlir::RankedTensorType>(type)))
        shape.push_back(dim.substitute({{"N", lathe::Dim(3)}, {"M", lathe::Dim(2)}}).constant());
      lathe::Tensor tensor(*lathe::elementOf(mlir::cast<mlir::RankedTensorType>(type).getElementType()), shape);
      lathe::visitNumber(tensor.getElement(), [&](auto zero) {
        using T = decltype(zero);
        for (int64_t i = 0; i < tensor.size(); ++i)
          tensor.data<T>()[i] = lathe::isFloatTensor(type) ? T(float(std::uniform_real_distribution<>(low, high)(engine)))
                                                           : T(engine() % 6) - T(1);
        return true;
      });
      tensors.push_back(tensor);
    }
    return tensors;
  }
};

inline Tensors join(const Tensors &a, const Tensors &b) {
  Tensors all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// The sum of products of all elements, and that of their magnitudes.
struct InnerProduct {
  double sum = 0, magnitude = 0;

  InnerProduct(const Tensors &a, const Tensors &b) {
    for (size_t i = 0; i < a.size(); ++i)
      for (int64_t j = 0; j < a[i].size(); ++j) {
        sum += a[i].at(j) * b[i].at(j);
        magnitude += std::abs(a[i].at(j) * b[i].at(j));
      }
  }
  /// <J^T c, t> = <c, J t>: equal but for a rounding error of this size of each term.
  bool agrees(const InnerProduct &other, double relative) const {
    return std::abs(sum - other.sum) <= relative * (magnitude + other.magnitude);
  }
};

#endif

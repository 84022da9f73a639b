// Arrays of Python as arguments of entries.
#ifndef LATHE_PYTHON_ARRAYS_H
#define LATHE_PYTHON_ARRAYS_H

#include "lathe/runtime.h"
#include <nanobind/ndarray.h>
#include <vector>

namespace lathe::python {

/// The memory of an argument, row-major and aligned. It is valid as long as this object.
struct Array {
  nanobind::ndarray<nanobind::ro> view;
  void *data() const { return const_cast<void *>(view.data()); }
  std::vector<int64_t> shape() const { return {view.shape_ptr(), view.shape_ptr() + view.ndim()}; }
};

/// Takes an input: a NumPy array, any object with DLPack or the buffer protocol, a number, or nested lists of numbers. Copies
/// only what is not row-major or not aligned. Raises TypeError for another element type or an array of a device, and ValueError
/// for another rank.
Array takeInput(nanobind::handle value, const lathe_argument_info &argument);

/// Takes an array that the entry is to write. Raises ValueError where its memory cannot be written as it lies.
Array takeOutput(nanobind::handle value, const lathe_argument_info &argument, const std::vector<int64_t> &shape);

/// Returns a new NumPy array of arbitrary elements, of storedType.
nanobind::object newArray(const lathe_argument_info &argument, const std::vector<int64_t> &shape);

/// "(3, 5)"
std::string shapeText(const std::vector<int64_t> &shape);

} // namespace lathe::python

#endif

// Element types as DLPack and NumPy name them.
#ifndef LATHE_PYTHON_DATATYPES_H
#define LATHE_PYTHON_DATATYPES_H

#include "lathe/runtime.h"
#include <nanobind/ndarray.h>
#include <string>

namespace lathe::python {

/// Returns the type under which DLPack passes an element type.
nanobind::dlpack::dtype dlpackType(lathe_dtype type);

/// Returns the type of a NumPy array over such elements: NumPy has no bf16, so that its bits are 16-bit integers.
nanobind::dlpack::dtype storedType(lathe_dtype type);

/// Returns an array of storedType with the elements' own type: for bf16 that of the package ml_dtypes where it is installed,
/// else the array itself.
nanobind::object withElements(nanobind::object array, lathe_dtype type);

/// Returns NumPy's type object for new arrays of storedType. It lives as long as the process.
nanobind::handle numpyType(lathe_dtype type);

/// Returns the name of an element type as NumPy writes it: "float32".
std::string nameOf(nanobind::dlpack::dtype type);
std::string nameOf(lathe_dtype type);

} // namespace lathe::python

#endif

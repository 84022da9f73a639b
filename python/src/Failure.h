// Python exceptions for compilations and calls that fail.
#ifndef LATHE_PYTHON_FAILURE_H
#define LATHE_PYTHON_FAILURE_H

#include "lathe/runtime.h"
#include <nanobind/nanobind.h>
#include <string>

namespace lathe::python {

/// Raises lathe.RunError for a status that an entry or the runtime returned.
[[noreturn]] void raise(const lathe_error &error);

/// Raises a built-in exception such as PyExc_ValueError.
[[noreturn]] void raise(PyObject *type, const std::string &text);

/// Returns a str, or None for a null pointer.
nanobind::object textOrNone(const char *text);

} // namespace lathe::python

#endif

#include "python/src/DataTypes.h"
#include <array>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using nb::dlpack::dtype;
using nb::dlpack::dtype_code;

dtype lathe::python::dlpackType(lathe_dtype type) {
  auto of = [&](dtype_code code) { return dtype{uint8_t(code), uint8_t(8 * lathe_dtype_size(type)), 1}; };
  switch (type) {
  case LATHE_I1:
    return of(dtype_code::Bool);
  case LATHE_I8:
  case LATHE_I16:
  case LATHE_I32:
  case LATHE_I64:
    return of(dtype_code::Int);
  case LATHE_U8:
  case LATHE_U16:
  case LATHE_U32:
  case LATHE_U64:
    return of(dtype_code::UInt);
  case LATHE_BF16:
    return of(dtype_code::Bfloat);
  default:
    return of(dtype_code::Float);
  }
}

dtype lathe::python::storedType(lathe_dtype type) {
  return type == LATHE_BF16 ? dtype{uint8_t(dtype_code::UInt), 16, 1} : dlpackType(type);
}

nb::object lathe::python::withElements(nb::object array, lathe_dtype type) {
  if (type != LATHE_BF16 || !nb::isinstance(array, nb::module_::import_("numpy").attr("ndarray")))
    return array; // a tensor that 'out' gave has elements of its own
  nb::object own = nb::module_::import_("lathe._arrays").attr("bfloat16");
  return own.is_none() ? array : array.attr("view")(own);
}

std::string lathe::python::nameOf(dtype type) {
  std::string bits = std::to_string(type.bits);
  switch (dtype_code(type.code)) {
  case dtype_code::Int:
    return "int" + bits;
  case dtype_code::UInt:
    return "uint" + bits;
  case dtype_code::Float:
    return "float" + bits;
  case dtype_code::Bfloat:
    return "bfloat" + bits;
  case dtype_code::Bool:
    return "bool";
  case dtype_code::Complex:
    return "complex" + bits;
  default:
    return "a type of " + bits + " bits";
  }
}

std::string lathe::python::nameOf(lathe_dtype type) { return nameOf(dlpackType(type)); }

nb::handle lathe::python::numpyType(lathe_dtype type) {
  static std::array<PyObject *, LATHE_F64 + 1> types; // owned by the process
  PyObject *&entry = types[type];
  if (!entry)
    entry = nb::module_::import_("numpy").attr("dtype")(nameOf(storedType(type))).release().ptr();
  return entry;
}

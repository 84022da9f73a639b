#include "python/src/Arrays.h"
#include "python/src/DataTypes.h"
#include "python/src/Failure.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace lathe::python;

std::string lathe::python::shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

static std::string called(const lathe_argument_info &argument) {
  return std::string(argument.is_output ? "result '" : "input '") + argument.name + "'";
}

static nb::object numpy(const char *function) { return nb::module_::import_("numpy").attr(function); }

/// Returns an array of the bits of bf16 numbers as it is passed on: NumPy has no such type, and gives no access to the elements
/// of one that a package adds.
static nb::object bitsOf(nb::object array, const lathe_argument_info &argument) {
  if (argument.dtype != LATHE_BF16 || !nb::isinstance(array, numpy("ndarray")))
    return array;
  nb::object type = array.attr("dtype");
  return std::string(nb::str(nb::handle(type)).c_str()) == "bfloat16" ? nb::object(array.attr("view")("uint16")) : array;
}

/// Returns a NumPy array for numbers and lists of them, in the type of the argument.
static nb::object fromNumbers(nb::handle value, const lathe_argument_info &argument) {
  try {
    if (argument.dtype == LATHE_BF16)
      return nb::module_::import_("lathe._arrays").attr("brain_bits")(value);
    const bool isWhole = argument.dtype < LATHE_F16;
    if (isWhole && !(argument.dtype == LATHE_I64 && PyLong_Check(value.ptr()))) // NumPy would cut them
      return nb::module_::import_("lathe._arrays").attr("whole_numbers")(value, numpyType(argument.dtype));
    return numpy("asarray")(value, numpyType(argument.dtype));
  } catch (nb::python_error &error) {
    raise(PyExc_TypeError,
          called(argument) + " cannot become an array of " + nameOf(argument.dtype) + ": " + nb::str(error.value()).c_str());
  }
}

/// True if an entry can access the elements where they lie: in row-major order and aligned.
static bool liesAsNeeded(const nb::ndarray<nb::ro> &view, const lathe_argument_info &argument) {
  if (view.size() == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = view.ndim(); i-- > 0; expected *= int64_t(view.shape(i)))
    if (view.shape(i) != 1 && view.stride(i) != expected)
      return false;
  return reinterpret_cast<uintptr_t>(view.data()) % lathe_dtype_size(argument.dtype) == 0;
}

/// Raises TypeError unless the array is in the host's memory and has the argument's element type.
static void checkKind(const nb::ndarray<nb::ro> &view, const lathe_argument_info &argument) {
  if (view.device_type() != nb::device::cpu::value)
    raise(PyExc_TypeError, called(argument) + " is in the memory of a device; copy it to the host first");
  nb::dlpack::dtype given = view.dtype();
  if (given == dlpackType(argument.dtype) || given == storedType(argument.dtype))
    return;
  raise(PyExc_TypeError, called(argument) + " has elements of " + nameOf(given) + ", expected " + nameOf(argument.dtype) +
                             "; convert it with .astype(\"" + nameOf(argument.dtype) + "\")");
}

Array lathe::python::takeInput(nb::handle value, const lathe_argument_info &argument) {
  Array array;
  if (value.is_none())
    raise(PyExc_TypeError, called(argument) + " is None, expected " + argument.type_text);
  nb::object held = bitsOf(nb::borrow(value), argument);
  bool isNumber =
      PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()) || PyList_Check(value.ptr()) || PyTuple_Check(value.ptr());
  if (isNumber || !nb::try_cast(held, array.view)) {
    if (nb::isinstance(value, numpy("ndarray"))) {
      nb::object type = value.attr("dtype");
      raise(PyExc_TypeError, called(argument) + " has elements of " + nb::str(nb::handle(type)).c_str() + ", expected " +
                                 nameOf(argument.dtype));
    }
    held = fromNumbers(value, argument);
    if (!nb::try_cast(held, array.view))
      raise(PyExc_TypeError, called(argument) + " is not an array");
  }
  checkKind(array.view, argument);
  if (array.view.ndim() != argument.rank)
    raise(PyExc_ValueError,
          called(argument) + " has the shape " + shapeText(array.shape()) + ", expected " + argument.type_text);
  if (!liesAsNeeded(array.view, argument)) {
    held = numpy("array")(numpy("asarray")(held), nb::arg("order") = "C", nb::arg("copy") = true);
    nb::try_cast(held, array.view);
  }
  return array;
}

/// True if an object such as an array of JAX lets NumPy read its elements only; DLPack does not tell.
static bool isReadOnly(nb::handle value) {
  if (nb::isinstance(value, numpy("ndarray")) || !nb::hasattr(value, "__array__"))
    return false;
  try {
    return !nb::cast<bool>(numpy("asarray")(value).attr("flags").attr("writeable"));
  } catch (nb::python_error &) { // an element type that NumPy does not have
    return false;
  }
}

Array lathe::python::takeOutput(nb::handle value, const lathe_argument_info &argument, const std::vector<int64_t> &shape) {
  Array array;
  nb::ndarray<> writable;
  nb::object held = bitsOf(nb::borrow(value), argument);
  if (isReadOnly(held) || !nb::try_cast(held, writable)) {
    if (nb::try_cast(held, array.view))
      raise(PyExc_ValueError, called(argument) + ": the array of 'out' is read-only");
    raise(PyExc_TypeError, called(argument) + ": 'out' is not an array");
  }
  array.view = nb::ndarray<nb::ro>(writable);
  checkKind(array.view, argument);
  if (array.shape() != shape)
    raise(PyExc_ValueError, called(argument) + ": the array of 'out' has the shape " + shapeText(array.shape()) +
                                ", expected " + shapeText(shape));
  if (!liesAsNeeded(array.view, argument))
    raise(PyExc_ValueError, called(argument) + ": the array of 'out' is not row-major and aligned");
  return array;
}

nb::object lathe::python::newArray(const lathe_argument_info &argument, const std::vector<int64_t> &shape) {
  static PyObject *empty = numpy("empty").release().ptr(); // owned by the process
  nb::object sizes = nb::steal(PyTuple_New(Py_ssize_t(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(sizes.ptr(), Py_ssize_t(i), PyLong_FromLongLong(shape[i]));
  return nb::handle(empty)(sizes, numpyType(argument.dtype));
}

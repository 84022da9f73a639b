#include "python/src/Failure.h"
#include <nanobind/stl/string.h>
#include <string_view>

namespace nb = nanobind;

nb::object lathe::python::textOrNone(const char *text) { return text ? nb::object(nb::str(text)) : nb::none(); }

static nb::object indexOf(const lathe_error &error) {
  nb::list index;
  for (uint32_t i = 0; i < error.rank && i < 8; ++i)
    index.append(error.index[i]);
  return nb::tuple(index);
}

/// Returns what to do about an input or a result that overlaps the variables, or "".
static std::string hintFor(const lathe_error &error) {
  constexpr std::string_view state = "state";
  if (error.status != LATHE_ERROR_OVERLAP || !error.argument || !error.other)
    return "";
  if (error.argument == state)
    return std::string("; '") + error.other +
           "' is an array of module.state, whose variables the entry writes: pass a copy of it";
  if (error.other == state)
    return std::string("; the array of 'out' for '") + error.argument + "' is one of module.state: pass another one";
  return "";
}

void lathe::python::raise(const lathe_error &error) {
  char text[512];
  lathe_error_format(&error, text, sizeof text);
  nb::object type = nb::module_::import_("lathe.errors").attr("RunError");
  nb::object made = type(text + hintFor(error));
  made.attr("status") = lathe_status_name(error.status);
  made.attr("file") = textOrNone(error.file);
  made.attr("line") = int(error.line);
  made.attr("column") = int(error.column);
  made.attr("function") = textOrNone(error.function);
  made.attr("op") = textOrNone(error.op);
  made.attr("argument") = textOrNone(error.argument);
  made.attr("other") = textOrNone(error.other);
  made.attr("expected") = error.expected;
  made.attr("actual") = error.actual;
  made.attr("index") = indexOf(error);
  made.attr("node") = textOrNone(error.node);
  PyErr_SetObject(type.ptr(), made.ptr());
  throw nb::python_error();
}

void lathe::python::raise(PyObject *type, const std::string &text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

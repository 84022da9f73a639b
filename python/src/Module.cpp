// The extension lathe._core: compiled graphs in this process, whose entries take arrays.
#include "python/src/Entry.h"
#include "python/src/Program.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace lathe::python;

/// Returns (name, type text) of the inputs or of the results.
static std::vector<std::pair<std::string, std::string>> argumentsOf(const Entry &entry, bool results) {
  std::vector<std::pair<std::string, std::string>> all;
  const lathe_function_info &function = entry.getFunction();
  for (uint32_t i = 0; i < function.argument_count; ++i)
    if (bool(function.arguments[i].is_output) == results)
      all.emplace_back(function.arguments[i].name, function.arguments[i].type_text);
  return all;
}

/// Returns "scale(x: f32[N][3], by: f32[3]) -> (y: f32[N][3])".
static std::string signatureOf(const Entry &entry) {
  auto listed = [&](bool results) {
    std::string text;
    nb::dict defaults = results ? nb::dict() : entry.getDefaults();
    for (auto &[name, type] : argumentsOf(entry, results)) {
      text += (text.empty() ? "" : ", ") + name + ": " + type;
      if (defaults.contains(name.c_str()))
        text += std::string(" = ") + nb::repr(defaults[name.c_str()]).c_str();
    }
    return text;
  };
  return std::string(entry.getFunction().name) + "(" + listed(false) + ") -> (" + listed(true) + ")";
}

static std::vector<std::string> dimsOf(const Entry &entry) {
  std::vector<std::string> names;
  const lathe_function_info &function = entry.getFunction();
  for (uint32_t k = 0; k < function.dimension_count; ++k)
    names.push_back(function.dimensions[k].name);
  return names;
}

static nb::list entriesOf(nb::object program) {
  const lathe_module_info &info = nb::cast<Program *>(program)->getInfo();
  nb::list entries;
  for (uint32_t i = 0; i < info.function_count; ++i)
    entries.append(nb::cast(new Entry(program, info.functions[i]), nb::rv_policy::take_ownership));
  return entries;
}

static const char *kEntry =
    "An entry of a module, a function of arrays.\n\n"
    "It takes its inputs by position or by name: NumPy arrays, objects with DLPack such as torch tensors, numbers, nested\n"
    "lists. It copies only what is not row-major. out= gives the arrays for the results, in a tuple or a list if there are\n"
    "several; dims= the sizes of dimensions that no input has; threads= how many threads this call uses, 0 for one for each\n"
    "core. It returns None, an array, or a tuple of arrays.\n\n"
    "Raises TypeError for an input of another element type, on a device or missing, ValueError for one of another shape and\n"
    "for a result of out= that is read-only or does not fit, and RunError if the entry refuses the sizes or fails.";

NB_MODULE(_core, module) {
  module.attr("__version__") = LATHE_VERSION;
  nb::class_<Program>(module, "Program")
      .def(nb::init<const std::string &, const std::string &, const std::string &, int>(), nb::arg("path"), nb::arg("prefix"),
           nb::arg("weights"), nb::arg("threads"))
      .def_prop_rw("threads", &Program::getThreads, &Program::setThreads)
      .def_prop_ro("name", [](const Program &program) { return program.getInfo().name; })
      .def_prop_ro("target", [](const Program &program) { return program.getInfo().target; })
      .def_prop_ro("entries", &entriesOf)
      .def("variable", [](nb::object self, const std::string &name) { return Program::variable(self, name); })
      .def("variable_names", &Program::variableNames)
      .def("save_state", &Program::saveState)
      .def("load_state", &Program::loadState)
      .def("start_profile", &Program::startProfile)
      .def("take_profile", &Program::takeProfile);
  nb::class_<Entry>(module, "Entry", kEntry)
      .def("__call__", &Entry::call, "Calls the entry. The class describes arguments, results and errors.")
      .def("__repr__", [](const Entry &entry) { return "<lathe.Entry " + signatureOf(entry) + ">"; })
      .def_prop_ro("signature", &signatureOf,
                   "Inputs and results as text: \"scale(x: f32[N][3], by: f32 = 2.0) -> (y: f32[N][3])\".")
      .def_prop_ro(
          "name", [](const Entry &entry) { return entry.getFunction().name; }, "The name in the graph.")
      .def_prop_ro(
          "inputs", [](const Entry &entry) { return argumentsOf(entry, false); }, "Names and types of the inputs, in order.")
      .def_prop_ro(
          "results", [](const Entry &entry) { return argumentsOf(entry, true); }, "Names and types of the results, in order.")
      .def_prop_ro("dims", &dimsOf, "The names of dimensions that calls decide.")
      .def_prop_rw(
          "defaults", &Entry::getDefaults, &Entry::setDefaults,
          "Values of inputs that a call need not give, a dict by name, such as the learning rate of a training step. It is\n"
          "a copy; assign a dict to change it.");
}

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
    for (auto &[name, type] : argumentsOf(entry, results))
      text += (text.empty() ? "" : ", ") + name + ": " + type;
    return text;
  };
  return std::string(entry.getFunction().name) + "(" + listed(false) + ") -> (" + listed(true) + ")";
}

static nb::list entriesOf(nb::object program) {
  const lathe_module_info &info = nb::cast<Program *>(program)->getInfo();
  nb::list entries;
  for (uint32_t i = 0; i < info.function_count; ++i)
    entries.append(nb::cast(new Entry(program, info.functions[i]), nb::rv_policy::take_ownership));
  return entries;
}

NB_MODULE(_core, module) {
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
  nb::class_<Entry>(module, "Entry")
      .def("__call__", &Entry::call)
      .def("__repr__", [](const Entry &entry) { return "<lathe.Entry " + signatureOf(entry) + ">"; })
      .def_prop_ro("signature", &signatureOf)
      .def_prop_ro("name", [](const Entry &entry) { return entry.getFunction().name; })
      .def_prop_ro("inputs", [](const Entry &entry) { return argumentsOf(entry, false); })
      .def_prop_ro("results", [](const Entry &entry) { return argumentsOf(entry, true); })
      .def_prop_ro("dims", [](const Entry &entry) {
        std::vector<std::string> names;
        const lathe_function_info &function = entry.getFunction();
        for (uint32_t k = 0; k < function.dimension_count; ++k)
          names.push_back(function.dimensions[k].name);
        return names;
      });
}

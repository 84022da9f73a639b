#include "python/src/Entry.h"
#include "python/src/DataTypes.h"
#include "python/src/Failure.h"
#include <cctype>
#include <cstring>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace lathe::python;

/// Returns the dimensions of "f32[N][2 * M]" as texts.
static std::vector<std::string> dimensionsOf(const std::string &type) {
  std::vector<std::string> dims;
  for (size_t at = type.find('['); at != std::string::npos; at = type.find('[', at + 1))
    dims.push_back(type.substr(at + 1, type.find(']', at) - at - 1));
  return dims;
}

/// True if an expression has this name.
static bool mentions(const std::string &expression, const std::string &name) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = expression.find(name); at != std::string::npos; at = expression.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isPart(expression[at - 1])) && (end == expression.size() || !isPart(expression[end])))
      return true;
  }
  return false;
}

Entry::Entry(nb::object object, const lathe_function_info &function)
    : owner(std::move(object)), program(*nb::cast<Program *>(owner)), function(function) {
  for (uint32_t i = 0; i < function.argument_count; extentCount += function.arguments[i++].rank) {
    const lathe_argument_info &argument = function.arguments[i];
    if (argument.is_output) {
      outputs.push_back(&argument);
      continue;
    }
    Input input{&argument, extentCount, {}, {}, {}, {}};
    for (const std::string &dim : dimensionsOf(argument.type_text)) {
      int name = -1;
      std::vector<int> inside;
      for (uint32_t k = 0; k < function.dimension_count; ++k) {
        if (dim == function.dimensions[k].name)
          name = int(k);
        if (mentions(dim, function.dimensions[k].name))
          inside.push_back(int(k));
      }
      input.names.push_back(name);
      input.inside.push_back(std::move(inside));
    }
    inputs.push_back(std::move(input));
  }
}

int Entry::inputNamed(const char *name) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::strcmp(inputs[i].argument->name, name) == 0)
      return int(i);
  return -1;
}

nb::dict Entry::getDefaults() const {
  nb::dict values;
  for (const Input &input : inputs)
    if (input.standard)
      values[input.argument->name] = input.standard;
  return values;
}

void Entry::setDefaults(nb::dict values) {
  std::vector<Input> changed = inputs;
  for (Input &input : changed)
    input.standard.reset();
  for (auto [key, value] : values) {
    std::string name = nb::str(key).c_str();
    const int index = inputNamed(name.c_str());
    if (index < 0)
      raise(PyExc_ValueError, std::string(function.name) + " has no input '" + name + "'");
    changed[index].standardArray = takeInput(value, *inputs[index].argument);
    changed[index].standard = nb::borrow(value);
  }
  inputs = std::move(changed);
}

lathe_context *Entry::contextWith(nb::handle threads) const {
  if (threads.is_none())
    return nullptr;
  int count = 0;
  if (!nb::try_cast(threads, count))
    raise(PyExc_TypeError, std::string(function.name) + ": 'threads' is " + nb::repr(threads).c_str() +
                               ", expected a number (0: one for each core)");
  return program.contextWith(count);
}

void Entry::setSizes(nb::handle dims, std::vector<int64_t> &sizes) const {
  if (dims.is_none())
    return;
  if (!nb::isinstance<nb::dict>(dims))
    raise(PyExc_TypeError, std::string(function.name) + ": 'dims' is not a dict of sizes by names");
  for (auto [name, size] : nb::borrow<nb::dict>(dims)) {
    std::string text = nb::str(name).c_str(), all;
    uint32_t k = 0;
    for (; k < function.dimension_count && text != function.dimensions[k].name; ++k)
      all += (k ? ", " : "") + std::string(function.dimensions[k].name);
    if (k == function.dimension_count)
      raise(PyExc_ValueError, std::string(function.name) + " has no dimension '" + text + "'; it has " + (k ? all : "none"));
    int64_t number = 0;
    const bool isInteger = nb::try_cast(size, number);
    if (!isInteger || number < 0)
      raise(isInteger ? PyExc_ValueError : PyExc_TypeError, std::string(function.name) + ": the size of dimension '" + text +
                                                                "' is " + nb::repr(size).c_str() + ", expected " +
                                                                (isInteger ? "at least 0" : "an integer"));
    sizes[k] = number;
  }
}

static std::string countText(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Entry::Arguments Entry::take(const nb::args &positional, const nb::kwargs &named) const {
  Arguments all{std::vector<Array>(inputs.size()), nb::none(), std::vector<int64_t>(function.dimension_count, -1), nullptr};
  std::vector<nb::handle> given(inputs.size());
  if (positional.size() > inputs.size())
    raise(PyExc_TypeError, std::string(function.name) + " takes " + countText(inputs.size(), "input") + ", not " +
                               std::to_string(positional.size()));
  for (size_t i = 0; i < positional.size(); ++i)
    given[i] = positional[i];
  for (auto [key, value] : named) {
    std::string name = nb::cast<std::string>(key);
    if (int index = inputNamed(name.c_str()); index >= 0) {
      if (given[index])
        raise(PyExc_TypeError, std::string(function.name) + " got input '" + name + "' twice");
      given[index] = value;
    } else if (name == "out") {
      all.out = nb::borrow(value);
    } else if (name == "dims") {
      setSizes(value, all.sizes);
    } else if (name == "threads") {
      all.context = contextWith(value);
    } else {
      raise(PyExc_TypeError, std::string(function.name) + " has no input '" + name + "'");
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!given[i] && inputs[i].standard) {
      all.inputs[i] = inputs[i].standardArray;
      continue;
    }
    if (!given[i])
      raise(PyExc_TypeError,
            std::string(function.name) + " misses input '" + inputs[i].argument->name + "', " + inputs[i].argument->type_text);
    all.inputs[i] = takeInput(given[i], *inputs[i].argument);
  }
  return all;
}

/// Finds the size of a name from the first dimension of an input in whose expression no other name is unknown. Expressions of
/// sizes grow with each of their names, so that the size is found by halves. Returns false if the inputs do not determine it,
/// with `unfit` set to an input whose extent no size gives.
bool Entry::solveName(int name, Arguments &arguments, const Input *&unfit) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t d = 0; d < inputs[i].inside.size(); ++d) {
      bool isOnlyUnknown = false;
      for (int each : inputs[i].inside[d])
        isOnlyUnknown = (isOnlyUnknown || each == name) && (each == name || arguments.sizes[each] >= 0);
      if (!isOnlyUnknown)
        continue;
      std::vector<int64_t> sizes = arguments.sizes, extents(extentCount + 1);
      for (int64_t &size : sizes)
        size = std::max<int64_t>(size, 0);
      auto extentFor = [&](int64_t size) {
        sizes[name] = size;
        function.shapes(sizes.data(), extents.data());
        return extents[inputs[i].firstExtent + d];
      };
      const int64_t given = int64_t(arguments.inputs[i].view.shape(d)), most = function.dimensions[name].maximum;
      int64_t low = 0, high = 1;
      while (high < most && extentFor(high) < given) // no larger than needed, since products of sizes overflow
        high = std::min(2 * high, most);
      while (low < high) { // the least size with at least this extent
        int64_t middle = low + (high - low) / 2;
        if (extentFor(middle) < given)
          low = middle + 1;
        else
          high = middle;
      }
      if (extentFor(low) != given) {
        unfit = &inputs[i];
        continue;
      }
      if (low < most && extentFor(low + 1) == given) // of several sizes
        continue;
      arguments.sizes[name] = low;
      return true;
    }
  return false;
}

/// Solves names that are no dimension of an input, but occur in expressions such as 2 * N.
void Entry::solve(Arguments &arguments) const {
  std::vector<const Input *> unfit(arguments.sizes.size());
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t k = 0; k < arguments.sizes.size(); ++k)
      changes |= arguments.sizes[k] < 0 && solveName(int(k), arguments, unfit[k]);
  }
  for (size_t k = 0; k < arguments.sizes.size(); ++k) {
    if (arguments.sizes[k] >= 0)
      continue;
    std::string name = function.dimensions[k].name;
    if (unfit[k])
      raise(PyExc_ValueError, std::string("input '") + unfit[k]->argument->name + "' has the shape " +
                                  shapeText(arguments.inputs[size_t(unfit[k] - inputs.data())].shape()) + ", expected " +
                                  unfit[k]->argument->type_text + ", which no size '" + name + "' gives");
    raise(PyExc_ValueError, std::string(function.name) + ": the inputs do not determine the size of dimension '" + name +
                                "'; pass dims={\"" + name + "\": SIZE}");
  }
}

void Entry::misfit(const Input &input, const Array &array, const std::vector<int64_t> &sizes) const {
  std::string with;
  for (uint32_t k = 0; k < function.dimension_count; ++k)
    with += (k ? ", " : " with ") + std::string(function.dimensions[k].name) + " = " + std::to_string(sizes[k]);
  raise(PyExc_ValueError, std::string("input '") + input.argument->name + "' has the shape " + shapeText(array.shape()) +
                              ", expected " + input.argument->type_text + with);
}

std::vector<int64_t> Entry::bind(Arguments &arguments) const {
  bool isKnown = true;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t d = 0; d < inputs[i].names.size(); ++d)
      if (int name = inputs[i].names[d]; name >= 0 && arguments.sizes[name] < 0)
        arguments.sizes[name] = int64_t(arguments.inputs[i].view.shape(d));
  for (int64_t size : arguments.sizes)
    isKnown &= size >= 0;
  if (!isKnown)
    solve(arguments);
  std::vector<int64_t> extents(extentCount + 1); // never without memory
  function.shapes(arguments.sizes.data(), extents.data());
  const int64_t *expected = extents.data();
  size_t next = 0;
  for (uint32_t i = 0; i < function.argument_count; expected += function.arguments[i++].rank) {
    if (function.arguments[i].is_output)
      continue;
    const Array &array = arguments.inputs[next];
    for (size_t d = 0; d < array.view.ndim(); ++d)
      if (int64_t(array.view.shape(d)) != expected[d])
        misfit(inputs[next], array, arguments.sizes);
    ++next;
  }
  return extents;
}

std::vector<nb::object> Entry::makeResults(const nb::object &out, const std::vector<int64_t> &extents,
                                           std::vector<Array> &arrays) const {
  std::vector<nb::object> results;
  if (!out.is_none() && outputs.size() == 1 && !nb::isinstance<nb::tuple>(out) && !nb::isinstance<nb::list>(out)) {
    results.push_back(out);
  } else if (!out.is_none()) {
    if (!nb::isinstance<nb::sequence>(out) || nb::hasattr(out, "__dlpack__")) {
      nb::object type = out.attr("__class__").attr("__name__");
      raise(PyExc_TypeError, std::string("'out' is of type ") + nb::str(type).c_str() + ", expected a tuple or a list with " +
                                 countText(outputs.size(), "array") + ", one for each result of " + function.name);
    }
    for (nb::handle each : nb::borrow<nb::sequence>(out))
      results.push_back(nb::borrow(each));
    if (results.size() != outputs.size())
      raise(PyExc_ValueError, "'out' has " + countText(results.size(), "array") + ", but " + function.name + " has " +
                                  countText(outputs.size(), "result"));
  }
  const int64_t *extent = extents.data();
  size_t next = 0;
  for (uint32_t i = 0; i < function.argument_count; extent += function.arguments[i++].rank) {
    const lathe_argument_info &argument = function.arguments[i];
    if (!argument.is_output)
      continue;
    std::vector<int64_t> shape(extent, extent + argument.rank);
    for (int64_t &size : shape)
      size = std::max<int64_t>(size, 0); // the entry refuses the call, and reports which op needs more
    if (out.is_none())
      results.push_back(newArray(argument, shape));
    arrays.push_back(takeOutput(results[next++], argument, shape));
  }
  return results;
}

/// Cuts results to the sizes that data decided, and packs them.
nb::object Entry::finish(std::vector<nb::object> results) const {
  auto numberOf = [&](int argument) { // among the results
    size_t number = 0;
    while (number < outputs.size() && outputs[number] != &function.arguments[argument])
      ++number;
    return number;
  };
  std::vector<nb::object> whole = results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->counts) {
      nb::list slices;
      for (uint32_t d = 0; d < outputs[i]->rank; ++d)
        slices.append(outputs[i]->counts[d] < 0
                          ? nb::slice(nb::none(), nb::none(), nb::none())
                          : nb::slice(nb::none(), whole[numberOf(outputs[i]->counts[d])].attr("item")(), nb::none()));
      results[i] = results[i][nb::tuple(slices)];
    }
    if (outputs[i]->dtype == LATHE_BF16)
      results[i] = withElements(results[i], LATHE_BF16);
  }
  if (results.size() == 1)
    return results.front();
  if (results.empty())
    return nb::none();
  nb::object packed = nb::steal(PyTuple_New(Py_ssize_t(results.size())));
  for (size_t i = 0; i < results.size(); ++i)
    PyTuple_SET_ITEM(packed.ptr(), Py_ssize_t(i), results[i].release().ptr());
  return packed;
}

nb::object Entry::call(nb::args positional, nb::kwargs named) const {
  Arguments arguments = take(positional, named);
  std::vector<int64_t> extents = bind(arguments);
  std::vector<Array> written;
  std::vector<nb::object> results = makeResults(arguments.out, extents, written);
  std::vector<char> args(function.args_size);
  auto put = [&](uint32_t offset, auto value) {
    if (offset != LATHE_ABSENT)
      std::memcpy(args.data() + offset, &value, sizeof value);
  };
  for (uint32_t k = 0; k < function.dimension_count; ++k)
    put(function.dimensions[k].offset, arguments.sizes[k]);
  for (size_t i = 0; i < inputs.size(); ++i)
    put(inputs[i].argument->offset, arguments.inputs[i].data());
  for (size_t i = 0; i < outputs.size(); ++i)
    put(outputs[i]->offset, written[i].data());
  lathe_error error = {};
  if (program.call(function, arguments.sizes.data(), args, arguments.context, error) != LATHE_OK)
    raise(error);
  return finish(std::move(results));
}

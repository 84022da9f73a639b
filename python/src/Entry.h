// An entry of a compiled object as a function of Python.
#ifndef LATHE_PYTHON_ENTRY_H
#define LATHE_PYTHON_ENTRY_H

#include "python/src/Arrays.h"
#include "python/src/Program.h"

namespace lathe::python {

class Entry {
public:
  /// `program` is the Python object of the Program, which the entry keeps alive.
  Entry(nanobind::object program, const lathe_function_info &function);

  const lathe_function_info &getFunction() const { return function; }

  /// Calls the entry with inputs by position or by name. Further keywords: `out`, an array or a sequence of them for the
  /// results, `dims`, sizes of dimensions that no input has, and `threads`, how many the call uses. Returns None, the result,
  /// or a tuple of results. Raises RunError where the entry fails; TypeError and ValueError where the arguments do not fit.
  nanobind::object call(nanobind::args positional, nanobind::kwargs named) const;

  /// Returns the values of inputs that a call need not give, by name.
  nanobind::dict getDefaults() const;
  /// Sets all of them. Raises TypeError and ValueError for what is no input or does not fit one.
  void setDefaults(nanobind::dict values);

private:
  struct Input {
    const lathe_argument_info *argument;
    size_t firstExtent;                   // of its first dimension among those of all arguments
    std::vector<int> names;               // for each dimension the number of the name that it is, or -1
    std::vector<std::vector<int>> inside; // for each dimension the numbers of the names in its expression
    nanobind::object standard;            // the value where a call gives none; null: a call must give one
    Array standardArray;
  };
  struct Arguments {
    std::vector<Array> inputs;
    nanobind::object out;
    std::vector<int64_t> sizes;       // of the named dimensions; -1 where none is known
    lathe_context *context = nullptr; // with the call's own number of threads
  };

  Arguments take(const nanobind::args &positional, const nanobind::kwargs &named) const;
  int inputNamed(const char *name) const;
  void setSizes(nanobind::handle dims, std::vector<int64_t> &sizes) const;
  lathe_context *contextWith(nanobind::handle threads) const;
  /// Finds the sizes that the inputs' shapes give, and returns the extents of all arguments, one after the other.
  std::vector<int64_t> bind(Arguments &arguments) const;
  void solve(Arguments &arguments) const;
  bool solveName(int name, Arguments &arguments, const Input *&unfit) const;
  [[noreturn]] void misfit(const Input &input, const Array &array, const std::vector<int64_t> &sizes) const;
  std::vector<nanobind::object> makeResults(const nanobind::object &out, const std::vector<int64_t> &extents,
                                            std::vector<Array> &arrays) const;
  nanobind::object finish(std::vector<nanobind::object> results) const;

  nanobind::object owner;
  Program &program;
  const lathe_function_info &function;
  std::vector<Input> inputs;
  std::vector<const lathe_argument_info *> outputs;
  size_t extentCount = 0;
};

} // namespace lathe::python

#endif

// Options of an import.
#ifndef LATHE_IMPORT_IMPORTOPTIONS_H
#define LATHE_IMPORT_IMPORTOPTIONS_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lathe {
struct ConstInputs;

struct ImportOptions {
  bool nameValues = false;                       // for text: record all values' names in their locations (Names.h)
  std::map<std::string, int64_t> sizes;          // named dimensions of a model that are numbers from the start
  std::map<std::string, std::string> formulas;   // dimensions that are expressions of others, as Dim::str writes them
  std::map<std::string, std::string> broadcasts; // dimensions of a model that are 1 or this other one
  std::map<std::string, int64_t> maxSteps;       // of a model's data-dependent Loops, by an output, or "" for all
  ConstInputs *constants = nullptr;              // inputs that become constants
  std::vector<std::string> stateInitializers;    // name patterns of a model's initializers that become variables
  std::vector<std::string> stateArguments;       // name patterns of a program's arguments that become variables
  bool externWeights = false;                    // constants need not fit into an object
  std::set<std::string> *filesRead = nullptr;    // receives the path of each file that is read; may be null

  void noteRead(std::string path) const {
    if (filesRead)
      filesRead->insert(std::move(path));
  }
};

} // namespace lathe

#endif

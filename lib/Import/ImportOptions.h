// What an import is asked for.
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
  bool nameValues = false;                     // of a graph in text: all values' names are in their locations (Names.h)
  std::map<std::string, int64_t> sizes;        // named dimensions of a model that are numbers from the start
  std::map<std::string, std::string> formulas; // those that are expressions of others, as Dim::str writes them
  std::map<std::string, int64_t> maxSteps;     // of a model's Loops that data end, by an output, or "" for all
  ConstInputs *constants = nullptr;            // inputs that become constants
  std::vector<std::string> stateInitializers;  // patterns of names of a model's initializers that become variables
  bool externWeights = false;                  // constants need not fit into an object
  std::set<std::string> *filesRead = nullptr;  // receives the path of each file that is read; may be null

  void noteRead(std::string path) const {
    if (filesRead)
      filesRead->insert(std::move(path));
  }
};

} // namespace lathe

#endif

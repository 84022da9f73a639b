// A named axis of the ranks of a job.
#ifndef LATHE_INTERPRETER_RANKAXIS_H
#define LATHE_INTERPRETER_RANKAXIS_H

#include <cstdint>
#include <string>

namespace lathe {

struct RankAxis {
  std::string name;
  int64_t size; // the number of ranks along it
};

} // namespace lathe

#endif

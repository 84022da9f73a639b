#include "tools/lathe-run/StateFile.h"
#include "tools/lathe-run/Npy.h"
#include <cstdio>
#include <cstring>

using namespace lathe;

namespace {
/// The variables in one region, and the tables for the runtime's reader and writer.
class Region {
public:
  explicit Region(const Runner &runner) : names(runner.getVariables()) {
    for (const std::string &name : names)
      tensors.push_back(runner.getVariable(name));
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor &tensor = tensors[i];
      uint64_t size = tensor.getBytes().size();
      infos.push_back({names[i].c_str(), "", lathe_dtype(tensor.getElement()), uint32_t(tensor.getRank()),
                       tensor.getShape().data(), bytes.size(), size, 0});
      bytes.insert(bytes.end(), tensor.getBytes().begin(), tensor.getBytes().end());
    }
    module.magic = LATHE_INFO_MAGIC;
    module.abi_version = LATHE_ABI_VERSION;
    module.state_count = infos.size();
    module.state_size = bytes.size();
    module.state = infos.data();
  }

  void giveTo(Runner &runner) {
    for (size_t i = 0; i < names.size(); ++i) {
      std::memcpy(tensors[i].getBytes().data(), bytes.data() + infos[i].offset, infos[i].size);
      runner.setVariable(names[i], tensors[i]);
    }
  }

  lathe_module_info module = {};
  std::vector<char> bytes;

private:
  std::vector<std::string> names;
  Tensors tensors;
  std::vector<lathe_state_info> infos;
};
} // namespace

static std::optional<Failure> failureOf(lathe_status status, const lathe_error &error) {
  if (status == LATHE_OK)
    return std::nullopt;
  return Failure{kWrongUsage, textOf(error)};
}

static void tellDifference(void *, lathe_state_difference what, const char *name) {
  std::fprintf(stderr,
               what == LATHE_STATE_MISSING ? "lathe-run: note: the file has no '%s'; it keeps its initial value\n"
                                           : "lathe-run: note: no variable is named '%s'; the file's tensor is skipped\n",
               name);
}

std::optional<Failure> loadState(Runner &runner, const RunOptions &options) {
  Region region(runner);
  lathe_error error = {};
  lathe_status status = lathe_state_load_some(options.loadState.c_str(), &region.module, region.bytes.data(),
                                              options.partialState ? LATHE_STATE_MISSING | LATHE_STATE_LEFT_OVER : 0,
                                              options.partialState ? tellDifference : nullptr, nullptr, &error);
  std::optional<Failure> failure = failureOf(status, error);
  if (failure && !options.partialState && error.other && std::strstr(error.other, "the file has"))
    failure->reason += "; use --partial-state to read the variables that match";
  if (!failure)
    region.giveTo(runner);
  return failure;
}

std::optional<Failure> saveState(const Runner &runner, const RunOptions &options) {
  Region region(runner);
  lathe_error error = {};
  return failureOf(lathe_state_save(options.saveState.c_str(), &region.module, region.bytes.data(), &error), error);
}

#include "tools/lathec/ConstInputs.h"
#include "tools/lathe-run/Npy.h"

using namespace lathe;

std::string readConstInputs(const std::map<std::string, std::string> &files, ConstInputs &constants) {
  std::map<std::string, Tensor> values;
  for (const auto &[name, file] : files) {
    Expected<Tensor> value = readNpy(file);
    if (auto *failure = std::get_if<Failure>(&value))
      return failure->reason;
    values.emplace(name, std::get<Tensor>(std::move(value)));
    constants.names.insert(name);
  }
  constants.valueOf = [values = std::move(values)](const ConstInputs::Input &input, Tensor &value) {
    auto found = values.find(input.name);
    if (found == values.end())
      found = values.find(input.spelled);
    value = found->second;
    return std::string();
  };
  return "";
}

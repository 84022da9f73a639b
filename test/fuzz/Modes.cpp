#include "test/fuzz/Modes.h"
#include "test/fuzz/Graph.h"

using namespace fuzz;

static Mode budgetMode(int64_t bytes, bool offload) {
  Mode mode;
  mode.name = "budget " + std::to_string(bytes) + (offload ? " offload" : "");
  mode.options.optLevel = 1;
  mode.options.memoryBudget = bytes;
  mode.options.offload = offload;
  mode.hasBudget = mode.sameBits = true;
  return mode;
}

const std::vector<Mode> &fuzz::allModes() {
  static const std::vector<Mode> modes = [] {
    std::vector<Mode> modes;
    auto add = [&](std::string name, unsigned level, auto change) {
      Mode &mode = modes.emplace_back();
      mode.name = std::move(name);
      mode.options.optLevel = level;
      change(mode);
    };
    auto specialize = [](Mode &mode) { mode.specialized = mode.sameBits = true; };
    add("O2", 2, [](Mode &) {});
    add("specialised O2", 2, specialize);
    add("O3", 3, [](Mode &) {});
    add("O1", 1, [](Mode &) {});
    for (int64_t bytes : {64, 512, 2048})
      for (bool offload : {false, true})
        modes.push_back(budgetMode(bytes, offload));
    add("specialised", 1, specialize);
    add("pieces", 1, [](Mode &mode) { mode.options.parallelWork = 1; }); // every kernel that threads can share they do
    add("two threads", 1, [](Mode &mode) {
      mode.options.parallelWork = 1;
      mode.threads = 2;
      mode.sameObject = mode.sameBits = true;
    });
    add("O0", 0, [](Mode &) {});
    add("unfused", 1, [](Mode &mode) { mode.options.fuse = false; });
    add("items", 1, [](Mode &mode) { mode.options.anyItems = true; });
    for (unsigned level : {1, 2})
      for (std::string name : {"v2", "v3"})
        add(name + (level == 2 ? " O2" : ""), level, [&](Mode &mode) { mode.options.target = "x86-64-" + name; });
    return modes;
  }();
  return modes;
}

Mode fuzz::gpuMode() {
  Mode mode;
  mode.name = "gpu";
  mode.options.target = "cuda:sm_90";
  mode.options.ptxas = "none";
  mode.roundings = 12; // of two parts that are 2^-22 off each, and what both second parts would add
  return mode;
}

std::vector<Mode> fuzz::modesFor(const std::string &name) {
  if (name == "gpu")
    return {gpuMode()};
  const std::vector<Mode> &all = allModes();
  std::vector<Mode> modes;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) {
      size_t base = i;
      while (all[base].sameBits)
        --base;
      if (base != i)
        modes.push_back(all[base]);
      modes.push_back(all[i]);
    }
  return modes;
}

std::vector<Mode> fuzz::budgetModes(uint64_t seed) {
  Random random(seed + (uint64_t(1) << 41));
  int64_t power = int64_t(1) << (6 + below(random, 7));
  Mode mode = budgetMode(power + below(random, power), seed % 2 != 0);
  mode.name = seed % 2 ? "random budget offload" : "random budget";
  return {modesFor("O1").front(), mode};
}

std::vector<Mode> fuzz::modesOf(uint64_t module) {
  static const char *const cycle[] = {"budget 64",   "two threads", "O0",          "O2", "budget 512", "two threads",
                                      "unfused",     "specialised", "two threads", "O0", "O2",         "v2",
                                      "budget 2048", "items",       "v3",          "O3"};
  uint64_t place = module % 16, round = module / 16 % 4;
  std::string name = cycle[place];
  if (place == 15 && round == 0)
    return allModes();
  if (name.starts_with("budget") && round % 2)
    return modesFor(name + " offload");
  bool both = name == "v2" || name == "v3" || name == "specialised";
  return modesFor(both && round == 1 ? name + " O2" : name);
}

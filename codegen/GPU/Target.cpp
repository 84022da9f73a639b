#include "codegen/GPU/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using namespace lathe::gpu;

namespace {
struct Architecture {
  unsigned capability;
  unsigned ptx;      // first PTX version with this architecture
  unsigned exactPtx; // first PTX version with its 'a' variant; 0 if there is none
  unsigned sharedKB; // shared memory of a multiprocessor
};
} // namespace

static constexpr Architecture kArchitectures[] = {
    {80, 70, 0, 164},   {86, 71, 0, 100},   {87, 74, 0, 164},   {89, 78, 0, 100},   {90, 78, 80, 228},
    {100, 86, 86, 228}, {103, 88, 88, 228}, {110, 90, 90, 228}, {120, 87, 87, 100}, {121, 88, 88, 100}};

static const Architecture *architectureOf(unsigned capability) {
  auto found = llvm::find_if(kArchitectures, [&](const Architecture &known) { return known.capability == capability; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

std::string Target::ptxFeature() const {
  const Architecture *known = architectureOf(capability);
  constexpr unsigned kWidePtx = 81;
  return "+ptx" + std::to_string(std::max(isExact ? known->exactPtx : known->ptx, isWide ? kWidePtx : 0));
}

unsigned Target::sharedBytes() const { return architectureOf(capability)->sharedKB * 1024; }

VectorTarget Target::thread() const {
  VectorTarget target;
  target.triple = "nvptx64-nvidia-cuda";
  target.cpu = name();
  target.features = ptxFeature();
  target.level = 0;
  target.vectorBytes = 16; // for shared code that expects vectors; GPU code is scalar
  target.vectorRegisters = 16;
  target.hasFMA = target.hasF16C = target.hasBF16 = target.hasMaximum = target.hasApproximations = true;
  target.isFast = isFast;
  return target;
}

std::string lathe::gpu::listTargets() {
  std::string names;
  for (const Architecture &each : kArchitectures)
    names += (names.empty() ? "cuda:sm_" : ", cuda:sm_") + std::to_string(each.capability);
  return names;
}

std::optional<Target> lathe::gpu::parseTarget(llvm::StringRef spec, std::string &error) {
  llvm::StringRef number = spec;
  Target target;
  bool isArchitecture = number.consume_front("cuda:sm_");
  target.isExact = number.consume_back("a");
  isArchitecture &= !number.getAsInteger(10, target.capability);
  const Architecture *known = isArchitecture ? architectureOf(target.capability) : nullptr;
  if (known && (!target.isExact || known->exactPtx))
    return target;
  error = "there is no target '" + spec.str() + "'; expected " + listTargets() +
          "; from sm_90 on, the suffix 'a' makes code for exactly that architecture";
  return std::nullopt;
}

#include "codegen/Emit/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lathe;

Targets lathe::parseTargets(llvm::StringRef specs, std::string &error) {
  Targets targets;
  llvm::SmallVector<llvm::StringRef> cpus;
  for (llvm::StringRef spec : llvm::split(specs, ',')) {
    if (!spec.starts_with("cuda")) {
      cpus.push_back(spec);
      continue;
    }
    std::optional<gpu::Target> target = gpu::parseTarget(spec, error);
    if (!target)
      return {};
    targets.gpus.push_back(*target);
  }
  auto key = [](const gpu::Target &target) { return std::pair(target.capability, target.isExact); };
  llvm::sort(targets.gpus, [&](const gpu::Target &a, const gpu::Target &b) { return key(a) < key(b); });
  targets.gpus.erase(std::unique(targets.gpus.begin(), targets.gpus.end(),
                                 [&](const gpu::Target &a, const gpu::Target &b) { return key(a) == key(b); }),
                     targets.gpus.end());
  targets.hasCpuKernels = !cpus.empty();
  targets.cpus = cpu::parseTargets(cpus.empty() ? "x86-64" : llvm::join(cpus, ","), error);
  return targets;
}

std::vector<ImagePlan> Targets::images() const {
  std::vector<ImagePlan> plans;
  bool assembles = !ptxas.empty();
  for (const gpu::Target &target : gpus) {
    gpu::Target exact = target;
    exact.isExact = true;
    bool isAsked = llvm::any_of(gpus, [&](const gpu::Target &other) { return other.name() == exact.name(); });
    bool hasBetter = assembles && exact.hasGroupProducts() && !isAsked;
    if (hasBetter)
      plans.push_back({exact, /*asPtx=*/false, /*asCubin=*/true});
    plans.push_back({target, /*asPtx=*/true, /*asCubin=*/assembles && !hasBetter});
  }
  return plans;
}

std::string lathe::listTargets() {
  std::string text = cpu::listTargets(), gpus = gpu::listTargets();
  for (llvm::StringRef name : llvm::split(gpus, ", "))
    text += (name + (name.ends_with("_80") ? "   an NVIDIA GPU, with a CPU target or by itself" : "") + "\n").str();
  return text;
}

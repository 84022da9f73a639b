#include "codegen/CPU/Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace lathe;
using namespace lathe::cpu;

/// The levels of x86-64, and two above the last one that the psABI defines: with the dot products of AVX-512, of bytes and then
/// of bf16 too, as CPUs gained them.
enum X86Level : unsigned { kLevelV4 = 4, kLevelVNNI, kLevelBF16 };

static VectorTarget x86Level(unsigned level) {
  VectorTarget target;
  target.level = level;
  target.cpu = level == 1 ? "x86-64" : "x86-64-v" + std::to_string(std::min<unsigned>(level, kLevelV4));
  target.vectorBytes = level >= kLevelV4 ? 64 : level == 3 ? 32 : 16;
  target.vectorRegisters = level >= kLevelV4 ? 32 : 16;
  target.hasFMA = target.hasF16C = level >= 3;
  target.hasStringMoves = level >= kLevelV4; // all CPUs with AVX-512 have ERMS
  if (level >= kLevelVNNI) {
    target.hasByteDots = true;
    target.hasBF16Dots = level >= kLevelBF16;
    target.levelSuffix = level >= kLevelBF16 ? "-bf16" : "-vnni";
    target.features = level >= kLevelBF16 ? "+avx512vnni,+avx512bf16" : "+avx512vnni";
  }
  return target;
}

static unsigned hostLevel() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto all = [&](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(names, [&](llvm::StringRef name) { return features.lookup(name); });
  };
  if (!all({"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf"}))
    return 1;
  if (!all({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
    return 2;
  if (!all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return 3;
  if (!all({"avx512vnni"}))
    return kLevelV4;
  return all({"avx512bf16"}) ? kLevelBF16 : kLevelVNNI;
}

/// True for the supported targets: ELF, little endian, 64-bit pointers. Others would need the compiler's runtime library, or
/// another object format.
static bool isSupported(const llvm::Triple &triple) {
  bool isX86 = triple.getArch() == llvm::Triple::x86_64 && !triple.isX32();
  bool isArm = triple.getArch() == llvm::Triple::aarch64 && triple.getEnvironment() != llvm::Triple::GNUILP32;
  return (isX86 || isArm) && triple.isOSBinFormatELF();
}

std::string lathe::cpu::listTargets() {
  return "host            the CPU of this machine, " + x86Level(hostLevel()).name() + R"(
x86-64          any CPU of x86-64
x86-64-v2       with SSE4.2
x86-64-v3       with AVX2 and FMA
x86-64-v4       with AVX-512
x86-64-v4-vnni  and with dot products of bytes, AVX512_VNNI
x86-64-v4-bf16  and of bf16 too, AVX512_BF16
x86_64-OS       TRIPLE[:CPU[:FEATURES]], ELF objects: x86_64-linux-gnu, x86_64-linux-musl:znver4, x86_64-none-elf. Kernels use the
                vectors of the CPU that is named; without one they have 16 bytes, and of FEATURES they use +fma and +f16c
aarch64-OS      the same: aarch64-linux-gnu, aarch64-linux-musl:cortex-a72, aarch64-none-elf:generic:+fullfp16
)";
}

/// Describes a model's caches and multiply-adds, as its maker's optimisation guide states them. Other models keep the numbers
/// of VectorTarget.
static void describeCore(VectorTarget &target, llvm::StringRef model) {
  target.firstCacheBytes =
      1024 * llvm::StringSwitch<int64_t>(model)
                 .Cases({"znver5", "icelake-client", "icelake-server", "tigerlake", "alderlake"}, 48)
                 .Cases({"sapphirerapids", "emeraldrapids", "graniterapids", "raptorlake", "meteorlake"}, 48)
                 .Cases({"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}, 64)
                 .Cases({"cortex-a76", "cortex-x2"}, 64)
                 .Default(target.firstCacheBytes >> 10);
  target.secondCacheBytes = 1024 * llvm::StringSwitch<int64_t>(model)
                                       .Cases({"haswell", "broadwell", "skylake"}, 256)
                                       .Cases({"znver1", "znver2", "znver3", "icelake-client"}, 512)
                                       .Cases({"icelake-server", "tigerlake", "alderlake"}, 1280)
                                       .Cases({"sapphirerapids", "emeraldrapids", "graniterapids"}, 2048)
                                       .Cases({"raptorlake", "meteorlake"}, 2048)
                                       .Default(target.secondCacheBytes >> 10);
  target.fmaPorts =
      llvm::StringSwitch<unsigned>(model).Cases({"neoverse-v1", "neoverse-v2", "cortex-x2"}, 4).Default(target.fmaPorts);
  target.fmaLatency = llvm::StringSwitch<unsigned>(model).Cases({"haswell", "broadwell"}, 5).Default(target.fmaLatency);
  target.loadPorts =
      llvm::StringSwitch<unsigned>(model).Cases({"neoverse-v1", "neoverse-v2", "cortex-x2"}, 3).Default(target.loadPorts);
  target.secondCacheBytesPerCycle = llvm::StringSwitch<unsigned>(model)
                                        .Cases({"znver5", "skylake-avx512", "cascadelake", "icelake-server"}, 64)
                                        .Cases({"sapphirerapids", "emeraldrapids", "graniterapids"}, 64)
                                        .Default(target.secondCacheBytesPerCycle);
}

/// Sets the dot products of an AArch64 CPU: those of its model, and those in `features`.
static void describeDots(VectorTarget &target, llvm::StringRef model, llvm::StringRef features) {
  llvm::SmallVector<llvm::StringRef> wanted = llvm::to_vector(llvm::split(features, ','));
  std::vector<llvm::StringRef> known;
  if (auto cpu = llvm::AArch64::parseCpu(model))
    llvm::AArch64::getExtensionFeatures(cpu->getImpliedExtensions(), known);
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(known, feature) || llvm::is_contained(wanted, feature); };
  target.hasByteDots = has("+dotprod");
  target.hasBF16Dots = has("+bf16");
}

/// Describes an x86-64 CPU by the features that LLVM knows of its model, with those in `features` added ("+a") or removed
/// ("-b").
static void describeModel(VectorTarget &target, llvm::StringRef model, llvm::StringRef features) {
  llvm::SmallVector<llvm::StringRef> known;
  if (llvm::X86::parseArchX86(model, /*Only64Bit=*/true) != llvm::X86::CK_None)
    llvm::X86::getFeaturesForCPU(model, known);
  llvm::StringSet<> has;
  for (llvm::StringRef name : known)
    has.insert(name);
  if (has.contains("avx2")) // some models list only the newest features
    has.insert("avx");
  for (llvm::StringRef feature : llvm::split(features, ',')) {
    if (feature.consume_front("+"))
      has.insert(feature);
    else if (feature.consume_front("-"))
      has.erase(feature);
  }
  target.hasFMA = has.contains("fma");
  target.hasF16C = has.contains("f16c");
  target.hasBF16Dots = has.contains("avx512bf16");
  target.hasBF16Tiles = has.contains("amx-tile") && has.contains("amx-bf16");
  target.hasByteDots = has.contains("avxvnni") || (has.contains("avx512vnni") && has.contains("avx512vl"));
  if (known.empty()) // keep the vectors of every CPU
    return;
  auto all = [&](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(names, [&](llvm::StringRef name) { return has.contains(name); });
  };
  bool isWide = all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  target.vectorBytes = isWide ? 64 : all({"avx", "avx2"}) ? 32 : 16;
  target.vectorRegisters = isWide ? 32 : 16;
  target.hasStringMoves = isWide;
  target.hasByteDots &= !isWide || has.contains("avx512vnni"); // in the widest vectors
}

std::optional<VectorTarget> lathe::cpu::parseTarget(llvm::StringRef spec) {
  if (spec == "host")
    return x86Level(hostLevel());
  if (spec == "x86-64")
    return x86Level(1);
  for (unsigned level : {kLevelVNNI, kLevelBF16})
    if (VectorTarget target = x86Level(level); target.name() == spec)
      return target;
  if (spec.consume_front("x86-64-v")) {
    unsigned level = 0;
    if (spec.getAsInteger(10, level) || level < 2 || level > 4)
      return std::nullopt;
    return x86Level(level);
  }
  auto [triple, rest] = spec.split(':');
  auto [cpu, features] = rest.split(':');
  llvm::Triple parsed(llvm::Triple::normalize(triple));
  if (!triple.contains('-') || !isSupported(parsed))
    return std::nullopt;
  VectorTarget target = x86Level(1);
  target.triple = triple.str();
  target.cpu = cpu.empty() ? "generic" : cpu.str();
  target.features = features.str();
  describeCore(target, target.cpu);
  if (parsed.getArch() == llvm::Triple::x86_64) {
    describeModel(target, target.cpu, features);
  } else {
    target.hasF16C = llvm::is_contained(llvm::split(features, ','), "+f16c");
    target.level = 0;
    target.vectorRegisters = 32;
    target.hasFMA = true;
    describeDots(target, target.cpu, features);
  }
  return target;
}

std::vector<VectorTarget> lathe::cpu::parseTargets(llvm::StringRef specs, std::string &error) {
  llvm::SmallVector<std::string> names;
  for (llvm::StringRef part : llvm::split(specs, ',')) {
    if (!names.empty() && (part.starts_with("+") || part.starts_with("-"))) // features are separated by commas too
      names.back() += "," + part.str();
    else
      names.push_back(part.str());
  }
  std::vector<VectorTarget> targets;
  for (const std::string &name : names) {
    std::optional<VectorTarget> target = parseTarget(name);
    if (!target) {
      error = "there is no target '" + name +
              "'; expected host, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni, x86-64-v4-bf16, or TRIPLE[:CPU[:FEATURES]] " +
              "of x86_64 or aarch64 with ELF objects, such as aarch64-linux-gnu:cortex-a72 (lathec --print-targets lists them)";
      return {};
    }
    bool isLevel = name == "host" || llvm::StringRef(name).starts_with("x86-64");
    if (names.size() > 1 && !isLevel) {
      error = "'" + name + "' cannot share an object with other targets; only levels of x86-64 can";
      return {};
    }
    targets.push_back(*target);
  }
  llvm::sort(targets, [](const VectorTarget &a, const VectorTarget &b) { return a.level < b.level; });
  targets.erase(std::unique(targets.begin(), targets.end(),
                            [](const VectorTarget &a, const VectorTarget &b) { return a.level == b.level; }),
                targets.end());
  return targets;
}

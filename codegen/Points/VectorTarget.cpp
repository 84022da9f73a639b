#include "codegen/Points/VectorTarget.h"
#include <fmt/format.h>

using namespace lathe;

std::string VectorTarget::describe() const {
  std::string dots = hasByteDots && hasBF16Dots ? "i8 and bf16" : hasByteDots ? "i8" : hasBF16Dots ? "bf16" : "none";
  return fmt::format("{} registers of {} bytes, {} multiply-adds a cycle with a latency of {}, {} loads a cycle, caches of {} "
                     "and {} KB, {} bytes a cycle from the second, dot products: {}",
                     vectorRegisters, vectorBytes, hasFMA ? fmaPorts : 0, fmaLatency, loadPorts, firstCacheBytes >> 10,
                     secondCacheBytes >> 10, secondCacheBytesPerCycle, dots) +
         (hasBF16Tiles ? ", tiles: bf16" : "");
}

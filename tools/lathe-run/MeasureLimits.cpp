// The loops that measure a machine's limits.
#include "tools/lathe-run/MachineLimits.h"
#include <atomic>
#include <ctime>
#include <functional>
#include <thread>

/// Seconds of one measurement; the best of kTrials counts.
static constexpr double kSeconds = 0.02;
static constexpr int kTrials = 3;
/// Bytes of the working sets: caches of common sizes, then the memory.
static constexpr int64_t kWorkingSets[] = {24 << 10, 256 << 10, 2 << 20, 12 << 20, 256 << 20};

/// Keeps a value that nothing reads: the compiler must compute it.
template <typename T>
static void keep(const T &value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Runs fused multiply-adds in independent chains, as many as hide their latency. Returns the operations.
template <typename Vector, typename Scalar>
__attribute__((always_inline)) static inline double multiplyAdd(int64_t steps) {
  constexpr int kChains = 12;
  volatile Scalar factor = Scalar(0.999), term = Scalar(0.001);
  Vector a[kChains], x = Vector{} + factor, y = Vector{} + term;
  for (int i = 0; i < kChains; ++i)
    a[i] = Vector{} + Scalar(i);
  for (int64_t step = 0; step < steps; ++step)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i)
      a[i] = a[i] * x + y;
  keep(a);
  return 2.0 * kChains * double(sizeof(Vector) / sizeof(Scalar)) * double(steps);
}

template <typename Scalar, int kBytes>
struct VectorOf {
  typedef Scalar type __attribute__((vector_size(kBytes)));
};
using Line = VectorOf<uint64_t, 64>::type;

/// Reads all lines.
__attribute__((always_inline)) static inline void read(const Line *lines, int64_t count) {
  Line sum[4] = {};
  for (int64_t i = 0; i + 4 <= count; i += 4)
    for (int64_t k = 0; k < 4; ++k)
      sum[k] ^= lines[i + k];
  keep(sum);
}

/// Copies the first half to the second one.
__attribute__((always_inline)) static inline void copy(Line *lines, int64_t count) {
  for (int64_t i = 0; i < count / 2; ++i)
    lines[count / 2 + i] = lines[i];
  keep(lines[count / 2]);
}

namespace {
/// The loops for one width of vectors.
struct Loops {
  double (*flops32)(int64_t steps), (*flops64)(int64_t steps);
  void (*read)(const Line *lines, int64_t count);
  void (*copy)(Line *lines, int64_t count);
};
} // namespace

#define LATHE_LOOPS(name, target, bytes)                                                                                       \
  target static double name##32(int64_t steps) { return multiplyAdd<VectorOf<float, bytes>::type, float>(steps); }             \
  target static double name##64(int64_t steps) { return multiplyAdd<VectorOf<double, bytes>::type, double>(steps); }           \
  target static void name##Read(const Line *lines, int64_t count) { read(lines, count); }                                      \
  target static void name##Copy(Line *lines, int64_t count) { copy(lines, count); }                                            \
  static constexpr Loops name = {name##32, name##64, name##Read, name##Copy};
LATHE_LOOPS(basic, , 16)
#if defined(__x86_64__)
LATHE_LOOPS(avx2, __attribute__((target("avx2,fma"))), 32)
LATHE_LOOPS(avx512, __attribute__((target("avx512f"))), 64)
#endif
#undef LATHE_LOOPS

/// Returns the loops with the widest vectors of this processor.
static const Loops &widestLoops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2;
#endif
  return basic;
}

/// Returns the seconds that the calling thread has run: other programs that share the processor do not count.
static double threadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Runs `work` on all threads at once, each until kSeconds have passed, and returns the sum of what its calls return per
/// second. The threads start together.
static double rateOf(int threads, const std::function<double(int thread)> &work) {
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::atomic<int> waiting{threads};
    std::vector<double> rates(threads);
    auto run = [&](int thread) {
      work(thread); // brings its memory into the caches
      for (--waiting; waiting > 0;)
        std::this_thread::yield();
      double done = 0, seconds = 0;
      for (double start = threadSeconds(); seconds < kSeconds; seconds = threadSeconds() - start)
        done += work(thread);
      rates[thread] = done / seconds;
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread)
      others.emplace_back(run, thread);
    run(0);
    for (std::thread &other : others)
      other.join();
    double sum = 0;
    for (double rate : rates)
      sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

MachineLimits measureLimits(int threads) {
  constexpr int64_t kSteps = 2000;
  const Loops &loops = widestLoops();
  MachineLimits limits;
  limits.threads = threads;
  limits.flops32 = rateOf(threads, [&](int) { return loops.flops32(kSteps); });
  limits.flops64 = rateOf(threads, [&](int) { return loops.flops64(kSteps); });
  for (int64_t size : kWorkingSets) {
    std::vector<std::vector<Line>> memory(threads);
    for (std::vector<Line> &lines : memory)
      lines.assign(size_t(std::max<int64_t>(size / threads / int64_t(sizeof(Line)), 8)), Line{} + 1);
    auto bytes = [&](int thread) { return double(memory[thread].size() * sizeof(Line)); };
    double reads = rateOf(threads, [&](int thread) {
      loops.read(memory[thread].data(), int64_t(memory[thread].size()));
      return bytes(thread);
    });
    double copies = rateOf(threads, [&](int thread) {
      loops.copy(memory[thread].data(), int64_t(memory[thread].size()));
      return bytes(thread);
    });
    limits.bandwidth.emplace_back(size, std::max(reads, copies));
  }
  return limits;
}

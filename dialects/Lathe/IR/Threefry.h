// threefry2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): the function of
// lathe.random_bits. The interpreter computes it, a kernel has it as scalar operations, and vmap as ops.
#ifndef LATHE_DIALECTS_LATHE_IR_THREEFRY_H
#define LATHE_DIALECTS_LATHE_IR_THREEFRY_H

#include <cstdint>
#include <utility>

namespace lathe {

/// The functions of lathe.apply that return the first and the second word: of the key's words, the counter and the stream.
inline constexpr char kThreefry[] = "threefry", kThreefrySecond[] = "threefry_second";
/// Operations on words that both take.
inline constexpr unsigned kThreefryOperations = 120;

/// Returns both words for a key and a counter, given the operations `words` on a type of 32-bit words: number(uint32_t),
/// add(x, y), exclusiveOr(x, y), and rotate(x, bits) to the left.
template <typename Words, typename Word>
std::pair<Word, Word> threefry2x32(Words words, std::pair<Word, Word> key, std::pair<Word, Word> counter) {
  constexpr unsigned kRounds = 20, kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const Word mixed = words.exclusiveOr(words.exclusiveOr(key.first, key.second), words.number(0x1BD11BDA));
  const Word keys[3] = {key.first, key.second, mixed};
  Word x = words.add(counter.first, keys[0]), y = words.add(counter.second, keys[1]);
  for (unsigned round = 0; round < kRounds; ++round) {
    x = words.add(x, y);
    y = words.exclusiveOr(words.rotate(y, kRotations[round % 8]), x);
    if (round % 4 != 3)
      continue;
    const unsigned injection = round / 4 + 1;
    x = words.add(x, keys[injection % 3]);
    y = words.add(words.add(y, keys[(injection + 1) % 3]), words.number(injection));
  }
  return {x, y};
}

} // namespace lathe

#endif

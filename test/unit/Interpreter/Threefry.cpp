// Known answers of threefry2x32 in 20 rounds, from the Random123 distribution of its authors.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include <cstdio>

using Words = std::pair<uint32_t, uint32_t>;

int main() {
  struct Vector {
    Words key, counter, expected;
  };
  static const Vector vectors[] = {{{0, 0}, {0, 0}, {0x6b200159, 0x99ba4efe}},
                                   {{0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x1cb996fc, 0xbb002be7}},
                                   {{0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}, {0xc4923a9c, 0x483df7a0}}};
  int failures = 0;
  for (const Vector &vector : vectors) {
    Words actual = lathe::threefry2x32(vector.key, vector.counter);
    if (actual == vector.expected)
      continue;
    std::printf("threefry2x32(%08x %08x, %08x %08x) is %08x %08x, expected %08x %08x\n", vector.key.first, vector.key.second,
                vector.counter.first, vector.counter.second, actual.first, actual.second, vector.expected.first,
                vector.expected.second);
    ++failures;
  }
  return failures != 0;
}

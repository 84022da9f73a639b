// Mistakes in a text.
#ifndef LATHE_TEST_FUZZ_TEXT_MUTATE_H
#define LATHE_TEST_FUZZ_TEXT_MUTATE_H

#include "lib/Import/Text/Statements.h"
#include <map>
#include <random>
#include <string>

namespace textfuzz {

struct Mutant {
  std::string text;
  std::string what; // "deletes '->' in line 3"
};

/// Tokens that others are replaced by.
class Pool {
public:
  void add(llvm::StringRef text);
  /// One of the kind, those of numbers, types and keywords that break things among them.
  std::string draw(lathe::Token::Kind kind, std::mt19937_64 &random) const;

private:
  std::map<lathe::Token::Kind, std::vector<std::string>> tokens;
};

/// Deletes or doubles a token of a text, swaps it with the next one, or replaces it by another of its kind.
Mutant mutate(llvm::StringRef text, const Pool &pool, std::mt19937_64 &random);

} // namespace textfuzz

#endif

// The words of graphs for the parser's messages that depend only on the text around their place.
#ifndef LATHE_IMPORT_TEXT_PARSEWORDS_H
#define LATHE_IMPORT_TEXT_PARSEWORDS_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace lathe {

/// The text at the place of an error.
struct Surroundings {
  std::string previous, next, afterNext; // the tokens before and after the place, and the one after `next`
  std::string character;                 // the first one of `next`
  bool endsLine = false;                 // `next` is on a later line, or there is none
  size_t begin = 0, end = 0;             // of `next` in the text
  size_t endOfPrevious = 0;

  /// Returns ", got 'T'" or ", but the line ends".
  std::string got() const;
};

Surroundings surroundingsOf(llvm::StringRef text, size_t place);

/// Returns the parser's message in the words of graphs. `op` is the statement's.
std::string inGraphWords(const std::string &message, llvm::StringRef op, const Surroundings &here);

/// Returns what is wrong after the end of a statement where the parser expects the next one.
std::string behindStatement(llvm::StringRef op, const Surroundings &here);

/// Returns how to write the constant of a `lathe.constant` statement; empty if it is written as a tensor.
std::string constantHint(llvm::StringRef statement);

/// Returns the element type for another library's name, such as f32 for "float32"; empty if there is none.
llvm::StringRef elementMeantBy(llvm::StringRef name);

} // namespace lathe

#endif

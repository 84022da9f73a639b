// Cuts PTX into words.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <string_view>

namespace standin {

struct Token {
  enum Kind : u8 { End, Word, Number, String, Mark } kind = End;
  std::string_view text;
  u32 line = 1;
  bool is(std::string_view mark) const { return kind != String && text == mark; }
};

/// A word holds its points and double colons: ld.shared::cta.f32 is one.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) { advance(); }
  const Token &peek() const { return token; }
  Token take() {
    const Token current = token;
    advance();
    return current;
  }
  bool accept(std::string_view mark) {
    if (!token.is(mark))
      return false;
    advance();
    return true;
  }
  Token expect(std::string_view mark);
  /// Drops the rest of the present line, including the next token if it is on this line.
  void skipLine();

private:
  void advance();
  void skipBlank();

  std::string_view text;
  size_t at = 0;
  u32 line = 1;
  Token token;
};

} // namespace standin

// Cuts PTX into words: see Lexer.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lexer.h"
#include "Source.h"

#include <cctype>

namespace standin {

namespace {
bool startsWord(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool inWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }
} // namespace

Token Lexer::expect(std::string_view mark) {
  if (!token.is(mark))
    throw SyntaxError{token.line, "expected '" + std::string(mark) + "', found '" + std::string(token.text) + "'"};
  return take();
}

void Lexer::skipLine() {
  const u32 present = token.line;
  while (token.kind != Token::End && token.line == present)
    advance();
}

void Lexer::skipBlank() {
  while (at < text.size()) {
    if (text[at] == '\n')
      ++line;
    if (isspace(static_cast<unsigned char>(text[at])) || text[at] == '\0') {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      while (at < text.size() && text[at] != '\n')
        ++at;
    } else if (text.substr(at, 2) == "/*") {
      const size_t end = std::min(text.find("*/", at), text.size());
      for (; at < end; ++at)
        line += text[at] == '\n';
      at = std::min(at + 2, text.size());
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skipBlank();
  token = {Token::End, {}, line};
  if (at >= text.size())
    return;
  const size_t start = at;
  const char first = text[at];
  if (first == '"') {
    const size_t end = text.find('"', at + 1);
    if (end == text.npos)
      throw SyntaxError{line, "a string does not end"};
    at = end + 1;
    token = {Token::String, text.substr(start + 1, end - start - 1), line};
    return;
  }
  if (isdigit(static_cast<unsigned char>(first))) {
    const bool isHex = text.substr(at, 2) == "0x";
    while (at < text.size() &&
           (inWord(text[at]) || (!isHex && (text[at] == '+' || text[at] == '-') && tolower(text[at - 1]) == 'e' &&
                                 text.substr(start, 2) != "0f" && text.substr(start, 2) != "0d")))
      ++at;
    token = {Token::Number, text.substr(start, at - start), line};
    return;
  }
  if (startsWord(first)) {
    ++at;
    while (at < text.size()) {
      if (inWord(text[at]))
        ++at;
      else if (text.substr(at, 2) == "::")
        at += 2;
      else
        break;
    }
    token = {Token::Word, text.substr(start, at - start), line};
    return;
  }
  ++at;
  token = {Token::Mark, text.substr(start, 1), line};
}

} // namespace standin

#include "test/fuzz/text/Mutate.h"
#include "lib/Import/Text/EditedText.h"
#include <fmt/format.h>
#include <set>

using namespace textfuzz;
using lathe::Token;

/// Texts that users write but no graph of the tests may have.
static const std::map<Token::Kind, std::vector<std::string>> kSpecial = {
    {Token::Number,
     {"0",
      "1",
      "2",
      "7",
      "65536",
      "2147483648",
      "9223372036854775807",
      "18446744073709551616",
      "0x7FFFFFFF",
      "1.0e300",
      "-1",
      "-9223372036854775808",
      "0xf32",
      "2x3xf32",
      "1x1x1x1x1x1x1x1xf32",
      "3xf64",
      "4xi1",
      "4xi8",
      "2xui16",
      "3xbf16",
      "5xf16",
      "4294967296x4294967296xi8",
      "3xindex",
      "3xi4",
      "2x?xf32"}},
    {Token::Word, {"f32",    "f64",         "i1",       "i32",        "ui8",       "index",  "none",   "tensor",
                   "vector", "memref",      "complex",  "dense",      "true",      "false",  "nan",    "inf",
                   "unit",   "private",     "public",   "attributes", "func.func", "return", "module", "xf32",
                   "xi64",   "lathe.yield", "lathe.if", "floor_div",  "max",       "N",      "loc",    "affine_map"}},
    {Token::Mark, {"(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "->", "?", "*", "-", "+", "/"}},
    {Token::Attribute, {"#lathe.dims", "#lathe.zeros", "#lathe", "#x", "!x", "#"}},
    {Token::String, {"\"\"", "\"a\"", "\"lathe.add\""}},
    {Token::Value, {"%0", "%x#1", "%"}},
    {Token::Symbol, {"@f", "@\"a b\"", "@"}}};

void Pool::add(llvm::StringRef text) {
  std::map<Token::Kind, std::set<std::string>> seen;
  for (const Token &token : lathe::tokensOf(text))
    seen[token.kind].insert(text.slice(token.begin, token.end).str());
  for (auto &[kind, texts] : seen)
    tokens[kind].insert(tokens[kind].end(), texts.begin(), texts.end());
}

std::string Pool::draw(Token::Kind kind, std::mt19937_64 &random) const {
  auto special = kSpecial.find(kind);
  auto own = tokens.find(kind);
  bool isOwn = own != tokens.end() && (special == kSpecial.end() || random() % 3 != 0);
  if (!isOwn && special == kSpecial.end())
    return "";
  const std::vector<std::string> &list = isOwn ? own->second : special->second;
  return list[random() % list.size()];
}

Mutant textfuzz::mutate(llvm::StringRef text, const Pool &pool, std::mt19937_64 &random) {
  std::vector<Token> tokens = lathe::tokensOf(text);
  size_t at = random() % tokens.size(), next = std::min(at + 1, tokens.size() - 1);
  const Token &token = tokens[at];
  auto of = [&](size_t i) { return text.slice(tokens[i].begin, tokens[i].end).str(); };
  std::string before = text.take_front(token.begin).str(), behind = text.drop_front(token.end).str(), what;
  switch (random() % 6) {
  case 0:
    what = "deletes '" + of(at) + "'";
    before += behind;
    break;
  case 1:
    what = "doubles '" + of(at) + "'";
    before += of(at) + " " + of(at) + behind;
    break;
  case 2:
    what = "swaps '" + of(at) + "' and '" + of(next) + "'";
    before += of(next) + text.slice(token.end, tokens[next].begin).str() + of(at) + text.drop_front(tokens[next].end).str();
    break;
  default: {
    Pool here;
    here.add(text);
    bool isNear = random() % 2;
    // A number may become a name of a dimension, a word a number.
    Token::Kind kind = token.kind;
    if (random() % 8 == 0)
      kind = kind == Token::Number ? Token::Word : kind == Token::Word ? Token::Number : kind;
    std::string other = (isNear ? here : pool).draw(kind, random);
    what = "puts '" + other + "' in place of '" + of(at) + "'";
    before += other + behind;
  }
  }
  return {std::move(before), what + fmt::format(" in line {}", lathe::lineAndColumn(text, token.begin).first)};
}

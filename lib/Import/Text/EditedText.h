// A text with some of its parts replaced, which tells where in the text each place of the new one comes from.
#ifndef LATHE_IMPORT_TEXT_EDITEDTEXT_H
#define LATHE_IMPORT_TEXT_EDITEDTEXT_H

#include "mlir/Support/LLVM.h"
#include <map>
#include <string>
#include <vector>

namespace lathe {

class EditedText {
public:
  explicit EditedText(llvm::StringRef original) : original(original) {}

  /// Replaces original[begin, end), with what has been replaced in it before.
  void replace(size_t begin, size_t end, std::string text);
  /// Puts `text` in front of original[place], in place of what has been put there before.
  void insert(size_t place, std::string text);

  /// The new text, good until the next call.
  const std::string &render();
  /// Where the line and column of the last text that was rendered, both from 1, are in the original.
  size_t toOriginal(unsigned line, unsigned column) const;
  /// True if that place is in what was put in.
  bool isOfEdit(unsigned line, unsigned column) const;

private:
  struct Edit {
    size_t end;
    std::string inserted, text;
  };
  /// A part of the new text, that begins at `begin`, and comes from original[origin, ...) or, if it `isNew`, stands for it.
  struct Part {
    size_t begin, origin;
    bool isNew;
  };
  void append(llvm::StringRef text, size_t origin, bool isNew);
  size_t offsetOf(unsigned line, unsigned column) const;
  const Part &partAt(size_t offset) const;

  llvm::StringRef original;
  std::map<size_t, Edit> edits; // by their begins
  std::string rendered;
  std::vector<Part> parts;
  std::vector<size_t> lines;
};

/// Line and column of a place in a text, both from 1.
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t place);

} // namespace lathe

#endif

// Text that defines the values of statements which could not be read, of the types that their uses declare.
#ifndef LATHE_IMPORT_TEXT_PLACEHOLDERS_H
#define LATHE_IMPORT_TEXT_PLACEHOLDERS_H

#include "mlir/IR/MLIRContext.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lathe {

/// Names are those of a function, given by its number; values are written as uses are: "%y" or "%y#1".
class Placeholders {
public:
  Placeholders(llvm::StringRef text, mlir::MLIRContext &context) : text(text), context(context) {}

  /// Puts text at a place, behind what is there.
  void insert(size_t place, std::string raw);
  /// Defines names, as definitions write them ("%y:2"), at a place. `source` is the text whose types are the first guess.
  void standFor(int function, size_t place, llvm::ArrayRef<llvm::StringRef> names, llvm::StringRef source);
  /// Defines a value at a place, or one more of its results. False if it is defined there already.
  bool define(int function, size_t place, llvm::StringRef value, llvm::StringRef type = "none");
  /// Defines a value for one use; returns its name.
  std::string addAlias(size_t place, llvm::StringRef type);
  std::string freshName();

  /// Takes a type that a use declares for the value, the first that one does. False if the value has none of the definitions
  /// above, or its type from another use.
  bool setType(int function, llvm::StringRef value, llvm::StringRef type);
  /// Whether a value stems from a faulty statement, so that nothing is to be said of its type.
  bool isPoisoned(int function, llvm::StringRef value) const;
  void poison(int function, llvm::StringRef name) { values.try_emplace({function, base(name)}); }
  void poisonAlias(llvm::StringRef alias) { aliases.insert(alias.str()); }
  /// Whether a message of the parser is of an alias whose definition is lost.
  bool isLostAlias(llvm::StringRef message) const;

  /// Drops the guesses at a place; false if there were none.
  bool forgetTypes(size_t place);
  /// Drops the definitions at a place; false if there were none.
  bool dropNames(size_t place);
  /// Drops what has been put behind `begin` and in front of `end`.
  void eraseWithin(size_t begin, size_t end);

  /// Places where the text has changed since the last call, with the text.
  std::vector<std::pair<size_t, std::string>> takeChanged();

private:
  struct Result {
    std::string type;
    bool isGuessed = true;
  };
  struct Definition {
    std::string name; // without a number
    std::vector<Result> results;
    std::string raw; // instead of a definition
  };
  /// Where a value is defined; nowhere if a statement that is wrong, but was read, does.
  struct Origin {
    std::optional<size_t> place;
    size_t index = 0;
  };
  static std::string base(llvm::StringRef name) { return name.split(name.contains('#') ? '#' : ':').first.str(); }
  Definition *find(int function, llvm::StringRef value);
  bool isType(llvm::StringRef type) const;

  llvm::StringRef text;
  mlir::MLIRContext &context;
  std::map<size_t, std::vector<Definition>> definitions; // by place
  std::map<std::pair<int, std::string>, Origin> values;
  std::set<std::string> aliases;
  std::set<size_t> changed;
  unsigned freshNames = 0;
};

} // namespace lathe

#endif

// Text that defines the values of unreadable statements, with the types that their uses declare.
#ifndef LATHE_IMPORT_TEXT_PLACEHOLDERS_H
#define LATHE_IMPORT_TEXT_PLACEHOLDERS_H

#include "mlir/IR/MLIRContext.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lathe {

/// Each function has its own names; the caller passes its number. Values are written like uses: "%y" or "%y#1".
class Placeholders {
public:
  Placeholders(llvm::StringRef text, mlir::MLIRContext &context) : text(text), context(context) {}

  /// Inserts text at a place, after earlier insertions there.
  void insert(size_t place, std::string raw);
  /// Defines names, written like definitions ("%y:2"), at a place. The types in `source` are the first guess.
  void standFor(int function, size_t place, llvm::ArrayRef<llvm::StringRef> names, llvm::StringRef source);
  /// Defines a value at a place, or one more of its results. Returns false if it is already defined there.
  bool define(int function, size_t place, llvm::StringRef value, llvm::StringRef type = "none");
  /// Defines a value for one use and returns its name.
  std::string addAlias(size_t place, llvm::StringRef type);
  std::string freshName();

  /// Sets the type of a value to the one that its first use declares. Returns false if the value has no definition here, or
  /// already has a type from another use.
  bool setType(int function, llvm::StringRef value, llvm::StringRef type);
  /// True if a value comes from a faulty statement, so that errors about its type must not be reported.
  bool isPoisoned(int function, llvm::StringRef value) const;
  void poison(int function, llvm::StringRef name) { values.try_emplace({function, base(name)}); }
  void poisonAlias(llvm::StringRef alias) { aliases.insert(alias.str()); }
  /// True if the parser's message is about an alias whose definition is lost.
  bool isLostAlias(llvm::StringRef message) const;

  /// Drops the guessed types at a place. Returns false if there were none.
  bool forgetTypes(size_t place);
  /// Drops the definitions at a place. Returns false if there were none.
  bool dropNames(size_t place);
  /// Drops insertions after `begin` and before `end`.
  void eraseWithin(size_t begin, size_t end);

  /// Returns the places whose text has changed since the last call, with the text.
  std::vector<std::pair<size_t, std::string>> takeChanged();

private:
  struct Result {
    std::string type;
    bool isGuessed = true;
  };
  struct Definition {
    std::string name; // without a number
    std::vector<Result> results;
    std::string raw; // replaces the definition
  };
  /// The place where a value is defined, or nullopt if a wrong but readable statement defines it.
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

#include "lib/Import/Text/Placeholders.h"
#include "lib/Import/Text/Recovery.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace lathe;

void Placeholders::insert(size_t place, std::string raw) {
  definitions[place].push_back({"", {}, std::move(raw)});
  changed.insert(place);
}

bool Placeholders::isType(StringRef type) const {
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
  return !type.empty() && parseType(type, &context) != nullptr;
}

/// Returns the tensor types in a text, in order.
static SmallVector<StringRef> tensorsIn(StringRef text) {
  SmallVector<StringRef> types;
  for (size_t begin; (begin = text.find("tensor<")) != StringRef::npos;) {
    text = text.drop_front(begin);
    size_t end = 0;
    for (int depth = 0; end < text.size(); ++end) {
      depth += (text[end] == '<') - (text[end] == '>' && text[end - 1] != '-');
      if (text[end] == '>' && depth == 0)
        break;
    }
    types.push_back(text.take_front(end + 1));
    text = text.drop_front(std::min(end + 1, text.size()));
  }
  return types;
}

void Placeholders::standFor(int function, size_t place, ArrayRef<StringRef> names, StringRef source) {
  SmallVector<StringRef> types = tensorsIn(source);
  std::vector<Definition> &here = definitions[place];
  changed.insert(place);
  size_t count = 0, next = 0;
  auto numberOf = [](StringRef name) {
    unsigned number = 1;
    return name.split(':').second.getAsInteger(10, number) || number > 1000 ? 1u : number;
  };
  for (StringRef name : names)
    count += numberOf(name);
  next = types.size() < count ? 0 : types.size() - count; // results come last
  for (StringRef name : names) {
    Definition definition{base(name), {}, ""};
    for (unsigned i = 0; i < numberOf(name); ++i, ++next)
      definition.results.push_back({next < types.size() && isType(types[next]) ? types[next].str() : "none"});
    values[{function, definition.name}] = {place, here.size()};
    here.push_back(std::move(definition));
  }
}

bool Placeholders::define(int function, size_t place, StringRef value, StringRef type) {
  unsigned number = 0;
  (void)value.split('#').second.getAsInteger(10, number);
  if (number > 1000)
    return false;
  Definition *definition = find(function, value);
  if (!definition) {
    std::vector<Definition> &here = definitions[place];
    values[{function, base(value)}] = {place, here.size()};
    here.push_back({base(value), {}, ""});
    definition = &here.back();
  }
  if (definition->results.size() > number)
    return false;
  definition->results.resize(number + 1, {isType(type) ? type.str() : "none"});
  changed.insert(*values[{function, base(value)}].place);
  return true;
}

std::string Placeholders::freshName() {
  std::string name;
  do
    name = "%unread_" + std::to_string(freshNames++);
  while (text.contains(name));
  return name;
}

std::string Placeholders::addAlias(size_t place, StringRef type) {
  std::string name = freshName();
  definitions[place].push_back({name, {{type.str(), /*isGuessed=*/false}}, ""});
  changed.insert(place);
  return name;
}

Placeholders::Definition *Placeholders::find(int function, StringRef value) {
  auto found = values.find({function, base(value)});
  if (found == values.end() || !found->second.place)
    return nullptr;
  auto here = definitions.find(*found->second.place);
  if (here == definitions.end() || found->second.index >= here->second.size())
    return nullptr;
  return &here->second[found->second.index];
}

bool Placeholders::setType(int function, StringRef value, StringRef type) {
  Definition *definition = find(function, value);
  unsigned number = 0;
  (void)value.split('#').second.getAsInteger(10, number);
  if (!definition || number >= definition->results.size() || !definition->results[number].isGuessed || !isType(type))
    return false;
  definition->results[number] = {type.str(), /*isGuessed=*/false};
  changed.insert(*values[{function, base(value)}].place);
  return true;
}

bool Placeholders::isPoisoned(int function, StringRef value) const { return values.count({function, base(value)}); }

bool Placeholders::isLostAlias(StringRef message) const {
  return message.starts_with("undefined symbol alias id") && aliases.count(message.split('\'').second.split('\'').first.str());
}

bool Placeholders::forgetTypes(size_t place) {
  auto here = definitions.find(place);
  bool any = false;
  if (here != definitions.end())
    for (Definition &definition : here->second)
      for (Result &result : definition.results)
        if (result.isGuessed && result.type != "none")
          result.type = "none", any = true;
  if (any)
    changed.insert(place);
  return any;
}

bool Placeholders::dropNames(size_t place) {
  auto here = definitions.find(place);
  if (here == definitions.end() || here->second.empty())
    return false;
  here->second.clear();
  changed.insert(place);
  return true;
}

void Placeholders::eraseWithin(size_t begin, size_t end) {
  auto isWithin = [&](size_t place) { return begin < place && place < end; };
  std::erase_if(definitions, [&](const auto &each) { return isWithin(each.first); });
  std::erase_if(changed, isWithin);
}

std::vector<std::pair<size_t, std::string>> Placeholders::takeChanged() {
  std::vector<std::pair<size_t, std::string>> all;
  for (size_t place : std::exchange(changed, {})) {
    std::string inserted;
    for (const Definition &definition : definitions[place]) {
      inserted += definition.raw;
      if (definition.results.empty())
        continue;
      std::string types;
      for (const Result &result : definition.results)
        types += (types.empty() ? "" : ", ") + result.type;
      size_t count = definition.results.size();
      inserted += definition.name + (count > 1 ? ":" + std::to_string(count) : "") + " = \"" + kUnreadOp.str() +
                  "\"() : () -> (" + types + ") ";
    }
    all.emplace_back(place, std::move(inserted));
  }
  return all;
}

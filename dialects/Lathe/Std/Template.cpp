#include "dialects/Lathe/Std/Template.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace lathe::composites;

const Parameter *Template::find(StringRef parameter) const {
  auto it = llvm::find_if(
      parameters, [&](const Parameter &each) { return each.name == parameter && (each.optional || !each.isOperand()); });
  if (it != parameters.end())
    return &*it;
  static const Parameter half{kHalfOption.str(), Parameter::Kind::Choice, false, std::nullopt, {"f16", "bf16"}, false};
  static const Parameter exact{kExactOption.str(), Parameter::Kind::Ints, false, std::nullopt, {}, false};
  bool calls = llvm::any_of(parameters, [](const Parameter &each) { return each.kind == Parameter::Kind::Function; });
  return !calls ? nullptr : parameter == kHalfOption ? &half : parameter == kExactOption ? &exact : nullptr;
}

static constexpr std::pair<StringLiteral, Parameter::Kind> kKinds[] = {
    {"float", Parameter::Kind::Float},
    {"number", Parameter::Kind::Number},
    {"integer", Parameter::Kind::Integer},
    {"index", Parameter::Kind::Index},
    {"bool", Parameter::Kind::Bool},
    {"any", Parameter::Kind::Any},
    {"dim", Parameter::Kind::Dim},
    {"dims", Parameter::Kind::Dims},
    {"real", Parameter::Kind::Real},
    {"int", Parameter::Kind::Int},
    {"ints", Parameter::Kind::Ints},
    {"flag", Parameter::Kind::Flag},
    {"checkpoint", Parameter::Kind::Checkpoint},
    {"function", Parameter::Kind::Function},
};

std::string Parameter::describe() const {
  switch (kind) {
  case Kind::Float:
    return "a float tensor";
  case Kind::Number:
    return "a tensor of integers or floats";
  case Kind::Integer:
    return "an integer tensor";
  case Kind::Index:
    return "a tensor of i32 or i64";
  case Kind::Bool:
    return "an i1 tensor";
  case Kind::Any:
    return "a tensor";
  case Kind::Dim:
    return "a dimension";
  case Kind::Dims:
    return "a list of dimensions";
  case Kind::Real:
    return "a number";
  case Kind::Int:
    return "an integer";
  case Kind::Ints:
    return "a list of integers";
  case Kind::Flag:
    return "a flag without a value";
  case Kind::Choice:
    return "one of " + join(choices, ", ");
  case Kind::Checkpoint:
    return "'sqrt' or 'every' with a number of steps";
  case Kind::Function:
    return "a function's name, as in @f";
  }
  llvm_unreachable("all kinds are above");
}

SmallVector<StringRef> lathe::composites::partsOf(StringRef list) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && StringRef("([<").contains(list[i]))
      ++depth;
    if (i < list.size() && StringRef(")]>").contains(list[i]))
      --depth;
    if (i == list.size() || (list[i] == ',' && !depth)) {
      if (StringRef part = list.slice(start, i).trim(); !part.empty())
        parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

namespace {
/// Parses one file, line by line.
class Reader {
public:
  Reader(StringRef file, StringRef text) : file(file) { text.split(lines, '\n'); }

  std::vector<Template> run() {
    std::vector<Template> templates;
    std::string meaning;
    while (next < lines.size()) {
      StringRef line = lines[next].trim();
      if (line.consume_front("/// "))
        meaning += (meaning.empty() ? "" : "\n") + line.str();
      else if (line.starts_with("template @") || line.starts_with("tangent @"))
        templates.push_back(readTemplate(std::exchange(meaning, "")));
      else if (!line.empty() && !line.starts_with("//"))
        fail("expected a template or a comment");
      ++next;
    }
    return templates;
  }

private:
  StringRef file;
  SmallVector<StringRef> lines;
  size_t next = 0;

  [[noreturn]] void fail(const Twine &what) {
    report_fatal_error(Twine("composite library: ") + file + ":" + Twine(next + 1) + ": " + what, /*gen_crash_diag=*/false);
  }

  Template readTemplate(std::string meaning) {
    Template result;
    result.file = file;
    result.meaning = std::move(meaning);
    std::string head = lines[next].trim().str();
    while (!StringRef(head).ends_with("{"))
      if (++next < lines.size())
        head += " " + lines[next].trim().str();
      else
        fail("the template has no body");
    auto [kind, rest] = StringRef(head).split(" @");
    auto [name, signature] = rest.split('(');
    result.name = kind == "tangent" ? tangentName(name) : name.str();
    auto [parameters, behind] = signature.rsplit(')');
    result.moves = behind.contains("moves");
    for (StringRef parameter : partsOf(parameters))
      result.parameters.push_back(readParameter(parameter));
    result.body = readLines();
    if (lines[next] != "}")
      fail("expected the brace that ends @" + result.name);
    if (result.meaning.empty())
      fail("@" + result.name + " has no description");
    return result;
  }

  /// Parses the lines up to the closing brace, and stops there.
  std::vector<Line> readLines() {
    std::vector<Line> read;
    while (true) {
      if (++next == lines.size())
        fail("missing brace");
      StringRef text = lines[next].trim();
      if (text.starts_with("}"))
        return read;
      if (text.empty() || text.starts_with("//"))
        continue;
      Line line{text.str(), int(next) + 1, {}};
      if (text.ends_with("{")) {
        line.text = text.drop_back().rtrim();
        line.sections = readSections(line.text);
      }
      read.push_back(std::move(line));
    }
  }

  /// Parses `head {` ... `} else {` ... `}`.
  std::vector<Section> readSections(StringRef head) {
    std::vector<Section> sections;
    while (true) {
      Section section{head.str(), int(next) + 1, {}};
      section.lines = readLines();
      sections.push_back(std::move(section));
      head = lines[next].trim().drop_front().trim();
      if (head.empty())
        return sections;
      if (!head.consume_back("{"))
        fail("expected a brace at the end");
      head = head.rtrim();
    }
  }

  Parameter readParameter(StringRef text) {
    auto [name, rest] = text.split(':');
    auto [kind, initial] = rest.split('=');
    Parameter parameter;
    name = name.trim(), kind = kind.trim(), initial = initial.trim();
    bool operand = name.consume_front("%");
    parameter.many = name.consume_back("*");
    parameter.optional = parameter.many || name.consume_back("?");
    parameter.name = name;
    if (!initial.empty())
      parameter.initial = initial;
    if (kind.consume_front("one_of(")) {
      parameter.kind = Parameter::Kind::Choice;
      SmallVector<StringRef> choices;
      kind.rtrim(')').split(choices, ',');
      for (StringRef choice : choices)
        parameter.choices.push_back(choice.trim().str());
    } else {
      auto it = llvm::find_if(kKinds, [&](auto &each) { return each.first == kind; });
      if (it == std::end(kKinds))
        fail("there is no kind '" + kind + "' of parameter '" + name + "'");
      parameter.kind = it->second;
    }
    if (operand != parameter.isOperand())
      fail("'" + name + "' is " + parameter.describe() + "; the name of an operand starts with %");
    return parameter;
  }
};

struct Embedded {
  StringRef file, text;
};
} // namespace

static const Embedded kFiles[] = {
#include "dialects/Lathe/Std/Library.inc"
};

ArrayRef<Template> lathe::composites::library() {
  static const std::vector<Template> templates = [] {
    std::vector<Template> all;
    for (const Embedded &each : kFiles)
      llvm::append_range(all, Reader(each.file, each.text).run());
    return all;
  }();
  return templates;
}

const Template *lathe::composites::findTemplate(StringRef name) {
  auto it = llvm::find_if(library(), [&](const Template &each) { return each.name == name; });
  return it == library().end() ? nullptr : it;
}

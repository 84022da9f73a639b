// The C++ header of an object:
//
//   types and functions that all such headers share
//   namespace PREFIX, class Module
//     constructors: threads, or a context of the application's; the path of weights in a file
//     for exported function NAME of the graph: NAME(sizes that no argument has, inputs, results)
//     state_NAME() for each variable; save_state, load_state
//
// A method finds the named sizes in the extents of its spans, checks all extents, and calls the C entry.
#include "codegen/Emit/CppHeader.h"
#include "codegen/Emit/CppSupport.h"
#include "codegen/Emit/HeaderText.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace lathe;

/// Returns the type of C++ that holds an element.
static std::string cppType(mlir::Type element) {
  switch (*elementOf(element)) {
  case Element::F64:
  case Element::F32:
    return elementCType(element).str();
  case Element::F16:
    return "lathe::f16";
  case Element::BF16:
    return "lathe::bf16";
  case Element::I1:
    return "bool";
  default:
    return "std::" + elementCType(element).str();
  }
}

/// Returns the name, with as many underscores after it as make it new, and takes it.
static std::string freshName(std::string name, llvm::StringSet<> &taken) {
  while (isCKeyword(name) || !taken.insert(name).second)
    name += "_";
  return name;
}

/// Returns a string literal.
static std::string quoted(llvm::StringRef text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

namespace {
/// Writes one function as a method.
class Method {
public:
  Method(const ModuleSignature &module, const Signature &function, std::string name)
      : module(module), function(function), name(name) {
    llvm::StringSet<> taken;
    for (const DimensionField &dimension : function.dimensions) {
      taken.insert(dimension.symbol);
      symbols[dimension.name] = dimension.symbol;
    }
    for (const ArgumentField &argument : function.arguments)
      taken.insert(argument.symbol);
    args = freshName("args", taken);
    misfit = freshName("misfit", taken);
    failure = freshName("failure", taken);
    bytes = freshName("bytes", taken);
    coldBytes = freshName("cold_bytes", taken);
  }

  std::string text() const;

private:
  std::string sizeText(const Dim &dim) const;
  std::string extentsText(const ArgumentField &argument) const;
  std::string parameters() const;
  bool isParameter(const DimensionField &dimension) const;
  void findSizes(std::string &out) const;
  void checkArguments(std::string &out) const;
  void reserve(llvm::StringRef method, const std::string &size, std::string &out) const;
  void callEntry(std::string &out) const;

  const ModuleSignature &module;
  const Signature &function;
  std::string name, args, misfit, failure, bytes, coldBytes; // of the method, and of its variables
  std::map<std::string, std::string> symbols;                // of dimensions, by their names in the graph
};
} // namespace

/// Returns an expression of C++ over sizes.
std::string Method::sizeText(const Dim &dim) const {
  std::string sum;
  for (auto &[names, coefficient] : dim.getTerms()) {
    std::vector<std::string> factors;
    if (coefficient != 1 || names.empty())
      factors.push_back(std::to_string(coefficient));
    for (const std::string &factor : names) {
      std::optional<DerivedDim> formula = derivedDim(factor);
      if (!formula) {
        factors.push_back(symbols.at(factor));
        continue;
      }
      std::vector<std::string> operands;
      for (const Dim &operand : formula->operands)
        operands.push_back(operand.isStatic() ? fmt::format("lathe::Size({})", sizeText(operand)) : sizeText(operand));
      if (DerivedDim::isQuotient(formula->kind) && !formula->hasSizeAsDivisor())
        operands.push_back(std::to_string(formula->divisor));
      factors.push_back(fmt::format("lathe::{}({})", DerivedDim::kNames[formula->kind].str(), fmt::join(operands, ", ")));
    }
    sum += (sum.empty() ? "" : " + ") + fmt::format("{}", fmt::join(factors, " * "));
  }
  return sum.empty() ? "0" : sum;
}

/// Returns the extents of an argument as a list in braces.
std::string Method::extentsText(const ArgumentField &argument) const {
  auto texts = llvm::map_to_vector(argument.dims, [&](const Dim &dim) { return sizeText(dim); });
  return "{" + llvm::join(texts, ", ") + "}";
}

/// Returns the index of the dimension of an argument that is this name; nullopt if there is none.
static std::optional<size_t> dimensionNamed(const ArgumentField &argument, llvm::StringRef name) {
  for (auto [i, dim] : llvm::enumerate(argument.dims))
    if (dim == Dim::named(name))
      return i;
  return std::nullopt;
}

/// True if no argument has this size as an extent, so that callers must pass it.
bool Method::isParameter(const DimensionField &dimension) const {
  return llvm::none_of(function.arguments,
                       [&](const ArgumentField &argument) { return dimensionNamed(argument, dimension.name); });
}

std::string Method::parameters() const {
  std::vector<std::string> texts;
  for (const DimensionField &dimension : function.dimensions)
    if (isParameter(dimension))
      texts.push_back("lathe::Size " + dimension.symbol);
  for (const ArgumentField &argument : function.arguments) {
    std::string type = cppType(argument.element);
    if (!argument.dims.empty())
      texts.push_back(fmt::format("lathe::Span<{}{}, {}> {}", argument.isOutput ? "" : "const ", type, argument.dims.size(),
                                  argument.symbol));
    else
      texts.push_back(fmt::format("{} {}{}", type, argument.isOutput ? "&" : "", argument.symbol));
  }
  return llvm::join(texts, ", ");
}

/// Emits variables for the named sizes, with their values.
void Method::findSizes(std::string &out) const {
  for (const DimensionField &dimension : function.dimensions)
    if (!isParameter(dimension))
      out += fmt::format("    lathe::Size {};\n", dimension.symbol);
  // Extents come before numbers of elements, and inputs before results.
  auto forEach = [&](llvm::StringRef format, bool withExtents) {
    for (const ArgumentField &argument : function.arguments)
      for (const DimensionField &dimension : function.dimensions)
        if (std::optional<size_t> at = dimensionNamed(argument, dimension.name))
          out += fmt::format(fmt::runtime(format.str()), dimension.symbol, argument.symbol, *at,
                             withExtents ? extentsText(argument) : "");
  };
  forEach("    {0}.take({1}, {2});\n", false);
  forEach("    {0}.solve({1}, {2}, {3});\n", true);
}

void Method::checkArguments(std::string &out) const {
  std::vector<std::string> checks, sizes;
  for (const ArgumentField &argument : function.arguments)
    if (!argument.dims.empty())
      checks.push_back(fmt::format("{0}.fits(\"{1}\", \"{2}\", {1}, {3})", misfit, argument.symbol,
                                   typeText(argument.element, argument.dims), extentsText(argument)));
  for (const DimensionField &dimension : function.dimensions) {
    sizes.push_back(fmt::format("{{\"{0}\", {0}}}", dimension.symbol));
    checks.push_back(fmt::format("{0}.isKnown(\"{1}\", {1})", misfit, dimension.symbol));
  }
  if (checks.empty())
    return;
  out += fmt::format("    lathe::detail::Misfit {}({}, {}, {});\n", misfit, quoted(function.name), quoted(module.source),
                     function.place.line);
  out += fmt::format("    if (!({}))\n      return lathe::detail::fail(this->own.error, {}.failure({{{}}}));\n",
                     fmt::join(checks, " &&\n          "), misfit, fmt::join(sizes, ", "));
}

/// Emits the allocation of so many bytes by a method of the class.
void Method::reserve(llvm::StringRef method, const std::string &size, std::string &out) const {
  out += fmt::format("    if (!this->{0}({1}))\n      return lathe::detail::fail(this->own.error, this->describe("
                     "lathe::detail::outOfMemory({2}, {1})));\n",
                     method.str(), size, quoted(function.name));
}

/// Emits the C struct of arguments and the call.
void Method::callEntry(std::string &out) const {
  std::vector<std::string> sizes;
  out += fmt::format("    lathe_error {} = {{}};\n    {}_args {} = {{}};\n", failure, function.symbol, args);
  for (const DimensionField &dimension : function.dimensions) {
    sizes.push_back(dimension.symbol + ".value()");
    out += fmt::format("    {}.{} = {};\n", args, dimension.symbol, sizes.back());
  }
  for (const ArgumentField &argument : function.arguments)
    out += fmt::format("    {0}.{1} = lathe::detail::raw({2}{1});\n", args, argument.symbol, argument.dims.empty() ? "&" : "");
  if (function.usesState)
    out += fmt::format("    {}.state = this->own.state.get();\n", args);
  if (function.usesWeights)
    out += fmt::format("    {0}.weights = this->own.weights.get();\n    {0}.weights_size = this->own.weightsSize;\n", args);
  if (function.usesContext)
    out += fmt::format("    {}.context = this->own.context.get();\n", args);
  std::string given = fmt::format("{}", fmt::join(sizes, ", "));
  out += fmt::format("    const std::size_t {} = {}_workspace_size({});\n", bytes, function.symbol, given);
  reserve("reserve", bytes, out);
  if (function.usesCold) {
    out += fmt::format("    const std::size_t {} = {}_cold_workspace_size({});\n", coldBytes, function.symbol, given);
    reserve("reserveCold", coldBytes, out);
  }
  out +=
      fmt::format("    {0}.workspace = this->own.workspace.get();\n    {0}.workspace_size = this->own.workspaceSize;\n", args);
  if (function.usesCold)
    out += fmt::format("    {0}.cold_workspace = this->own.coldWorkspace.get();\n"
                       "    {0}.cold_workspace_size = this->own.coldWorkspaceSize;\n",
                       args);
  out += fmt::format("    {}.error = &{};\n", args, failure);
  out += fmt::format("    if ({}(&{}) != LATHE_OK)\n      return lathe::detail::fail(this->own.error, this->describe({}));\n",
                     function.symbol, args, failure);
  out += "    return lathe::detail::succeed();\n";
}

std::string Method::text() const {
  std::string out = fmt::format("  /// {}\n", functionComment(function, "\n  /// "));
  for (const DimensionField &dimension : function.dimensions)
    out += fmt::format("  /// {}: {}\n", dimension.symbol, dimensionComment(function, dimension));
  for (const ArgumentField &argument : function.arguments)
    out += fmt::format("  /// {}: {}\n", argument.symbol, argumentComment(function, argument));
  out += fmt::format("  LATHE_RESULT {}({}){} {{\n", name, parameters(), function.writesState() ? "" : " const");
  findSizes(out);
  checkArguments(out);
  callEntry(out);
  return out + "  }\n\n";
}

namespace {
/// Writes the class.
class CppModule {
public:
  CppModule(const ModuleSignature &module) : module(module) {
    usesContext = llvm::any_of(module.functions, [](const Signature &function) { return function.usesContext; });
    for (llvm::StringRef name : {"Module", "Own", "Sharing", "own", "error", "context", "shared", "save_state", "load_state",
                                 "reserve", "describe", "start"})
      taken.insert(name);
    for (const Signature &function : module.functions)
      methodNames.push_back(freshName(toCIdentifier(function.name), taken));
  }

  std::string text();

private:
  void writeConstructors(std::string &out) const;
  void writeSharing(std::string &out) const;
  void writeState(std::string &out) const;
  void writeReserve(llvm::StringRef method, llvm::StringRef region, std::string &out) const;
  void writePrivate(std::string &out) const;
  const std::string *initialiser() const;
  std::string withFreshMember(std::string text) const;
  bool hasState() const { return !module.state.empty(); }
  bool usesCold() const {
    return llvm::any_of(module.functions, [](const Signature &function) { return function.usesCold; });
  }
  /// Returns a call that allocates memory for `size` bytes.
  std::string allocation(llvm::StringRef size) const {
    return fmt::format("lathe::detail::allocate({}{})", size.str(), usesContext ? ", this->own.context" : "");
  }

  const ModuleSignature &module;
  bool usesContext;
  llvm::StringSet<> taken;
  std::vector<std::string> methodNames;
};
} // namespace

/// Returns the method that sets all variables from a seed; null if there is none.
const std::string *CppModule::initialiser() const {
  for (auto [function, method] : llvm::zip_equal(module.functions, methodNames))
    if (function.name == "init" && hasState() && function.dimensions.empty() && function.arguments.size() == 1 &&
        !function.arguments[0].isOutput && function.arguments[0].dims.empty() && function.arguments[0].element.isInteger(64))
      return &method;
  return nullptr;
}

void CppModule::writeConstructors(std::string &out) const {
  const bool hasWeights = module.weightsSize > 0;
  const std::string *init = initialiser();
  auto write = [&](llvm::StringRef comment, llvm::StringRef first, llvm::StringRef context) {
    std::vector<std::string> parameters;
    if (hasWeights)
      parameters.push_back("const char *weights");
    if (!first.empty())
      parameters.push_back(first.str());
    if (init)
      parameters.push_back("std::int64_t seed = 0");
    out += fmt::format("  /// {}{}{}\n", comment.str(), init ? ", and initialises the variables from `seed`" : "",
                       hasWeights ? fmt::format(". `weights` is the path of {}", inComment(module.weightsFile)) : "");
    out += fmt::format("  explicit Module({}) {{\n", llvm::join(parameters, ", "));
    if (!context.empty())
      out += fmt::format("    this->own.context = {};\n", context.str());
    out += fmt::format("    this->start({});\n", hasWeights ? "weights" : "");
    if (init)
      out += fmt::format("    if (this->own.error.status() == LATHE_OK)\n      static_cast<void>(this->{}(seed));\n", *init);
    out += "  }\n";
  };
  if (!usesContext)
    return write("Allocates the memory of calls", "", "");
  write("Starts `threads` threads for calls, 0 for one on each core", "int threads = 1",
        "lathe::detail::startThreads(threads, this->own.error)");
  write("Runs calls with a context of the application's, which must live longer", "lathe_context *context",
        "lathe::detail::borrowed(context)");
}

void CppModule::writeSharing(std::string &out) const {
  auto write = [&](llvm::StringRef comment, llvm::StringRef parameter, llvm::StringRef context) {
    out += fmt::format(
        "  /// Returns an object with the same {} and a workspace of its own, for one more thread of the application. Calls\n"
        "  /// of both may run at the same time if they are `const`.{}\n"
        "  Module shared({}) {{\n    Module other(*this, Sharing());\n",
        hasState() ? "variables" : "code", comment.str(), parameter.str());
    if (!context.empty())
      out += fmt::format("    other.own.context = {};\n", context.str());
    if (!context.empty() && hasState())
      out += "    lathe::detail::checkSharing(this->own.context.get(), other.own.context.get(), other.own.error);\n";
    out += "    return other;\n  }\n";
  };
  if (usesContext) {
    write("", "int threads = 1", "lathe::detail::startThreads(threads, other.own.error)");
    write(" Its calls run with another context of the\n  /// application's, of the same device if this object has one.",
          "lathe_context *context", "lathe::detail::borrowed(context)");
  } else {
    write("", "", "");
  }
  out += "\n";
}

void CppModule::writeState(std::string &out) const {
  for (const StateField &field : module.state) {
    std::string type = cppType(field.type.getElementType());
    out += fmt::format("  /// {}: {}\n", inComment(field.name), commentType(field.type.getElementType(), dimsOf(field.type)));
    if (!field.doc.empty())
      out += "  /// " + llvm::join(llvm::split(inComment(field.doc), '\n'), "\n  /// ") + "\n";
    for (llvm::StringRef constant : {"", "const "}) {
      std::string place =
          fmt::format("static_cast<{}{} *>(lathe::detail::at(this->own.state.get(), {}u))", constant.str(), type, field.offset);
      std::string qualifier = constant.empty() ? "" : " const";
      if (field.type.getRank() == 0)
        out += fmt::format("  {}{} &state_{}(){} {{ return *{}; }}\n", constant.str(), type, field.symbol, qualifier, place);
      else
        out += fmt::format("  lathe::Span<{0}{1}, {2}> state_{3}(){4} {{\n    return {{{5}, {{{{{6}}}}}}};\n  }}\n",
                           constant.str(), type, field.type.getRank(), field.symbol, qualifier, place,
                           fmt::join(field.type.getShape(), ", "));
    }
  }
  if (!hasState() || !usesContext)
    return;
  for (auto [name, verb, call, constant] : {std::tuple("save_state", "Writes the variables as", "saveState", " const"),
                                            std::tuple("load_state", "Reads the variables from", "loadState", "")})
    out += fmt::format(
        "  /// {} a safetensors file.\n  LATHE_RESULT {}(const char *path){} {{\n    return lathe::detail::{}(path, "
        "*{}_info(), this->own.state, this->own.context.get(), this->own.error);\n  }}\n",
        verb, name, constant, call, module.prefix);
}

/// Writes the method that allocates a region for calls, unless it is large enough.
void CppModule::writeReserve(llvm::StringRef method, llvm::StringRef region, std::string &out) const {
  out +=
      fmt::format("  bool {1}(std::size_t size) const {{\n"
                  "    if (size <= this->own.{2}Size || size == SIZE_MAX)\n      return true; // the entry refuses SIZE_MAX\n"
                  "    this->own.{2}Size = 0;\n    this->own.{2}.reset();\n    this->own.{2} = {0};\n"
                  "    this->own.{2}Size = this->own.{2} ? size : 0;\n    return this->own.{2}Size == size;\n  }}\n",
                  allocation("size"), method.str(), region.str());
}

void CppModule::writePrivate(std::string &out) const {
  out += "private:\n";
  out += "  struct Sharing {};\n  Module(const Module &other, Sharing) : own(other.own) {\n"
         "    this->own.workspace.reset();\n    this->own.workspaceSize = 0;\n";
  if (usesCold())
    out += "    this->own.coldWorkspace.reset();\n    this->own.coldWorkspaceSize = 0;\n";
  out += "  }\n";
  out += fmt::format("  lathe::Error describe(const lathe_error &error) const {{\n    return {};\n  }}\n",
                     usesContext ? "lathe::detail::errorOf(error)" : "lathe::Error(lathe::detail::summaryOf(error), error)");
  writeReserve("reserve", "workspace", out);
  if (usesCold())
    writeReserve("reserveCold", "coldWorkspace", out);
  out += fmt::format("  void start({}) {{\n", module.weightsSize ? "const char *path" : "");
  if (usesContext)
    out +=
        fmt::format("    lathe::detail::checkVersions(*{}_info(), this->own.context.get(), this->own.error);\n", module.prefix);
  if (module.weightsSize)
    out += fmt::format(
        "    const void *weights = nullptr;\n    std::size_t size = 0;\n"
        "    if ({0}_map_weights(path, &weights, &size) != LATHE_OK)\n"
        "      return lathe::detail::failConstruction(this->own.error, this->describe(lathe::detail::unreadable(path)));\n"
        "    this->own.weights = std::shared_ptr<const void>(weights, [size](const void *data) {{ {0}_unmap_weights(data, size); }});\n"
        "    this->own.weightsSize = size;\n",
        module.prefix);
  if (hasState())
    out += fmt::format(
        "    this->own.state = {0};\n    if (!this->own.state)\n      lathe::detail::failConstruction(this->own.error, "
        "this->describe(lathe::detail::outOfMemory(\"{1}\", {2}u)));\n",
        allocation(std::to_string(module.stateSize) + "u"), module.prefix, module.stateSize);
  out += "  }\n\n";
  out += "  struct Own {\n";
  if (usesContext)
    out += "    std::shared_ptr<lathe_context> context; // null: the calling thread\n";
  if (hasState())
    out += "    std::shared_ptr<void> state;\n";
  if (module.weightsSize)
    out += "    std::shared_ptr<const void> weights;\n    std::size_t weightsSize = 0;\n";
  out += "    std::shared_ptr<void> workspace;\n    std::size_t workspaceSize = 0;\n";
  if (usesCold())
    out += "    std::shared_ptr<void> coldWorkspace;\n    std::size_t coldWorkspaceSize = 0;\n";
  out += "    lathe::Error error;\n  };\n  mutable Own own;\n";
}

std::string CppModule::text() {
  std::string out;
  for (llvm::StringRef line : llvm::split(module.doc, '\n'))
    if (!module.doc.empty())
      out += "/// " + inComment(line.rtrim()) + "\n";
  out += fmt::format(
      "{}/// Owns {}the workspace{}. An object serves one call at a time; `const` calls leave the state as it is.\n"
      "class Module {{\npublic:\n",
      module.doc.empty() ? "" : "///\n", hasState() ? "the state, " : "", usesContext ? " and the context of calls" : "");
  writeConstructors(out);
  out += "  Module(const Module &) = delete;\n  Module &operator=(const Module &) = delete;\n"
         "  Module(Module &&) = default;\n  Module &operator=(Module &&) = default;\n\n";
  writeSharing(out);
  for (auto [function, name] : llvm::zip_equal(module.functions, methodNames))
    out += Method(module, function, name).text();
  writeState(out);
  out += "  /// The last failure, also of the constructor; its status is LATHE_OK if there was none.\n"
         "  const lathe::Error &error() const { return this->own.error; }\n";
  if (usesContext)
    out += "  /// The context of calls; null for the calling thread.\n"
           "  lathe_context *context() const { return this->own.context.get(); }\n";
  writePrivate(out);
  return withFreshMember(out + "};\n");
}

/// Renames the member if a name of the graph would hide it.
std::string CppModule::withFreshMember(std::string text) const {
  llvm::StringSet<> names;
  for (const Signature &function : module.functions) {
    for (const DimensionField &dimension : function.dimensions)
      names.insert(dimension.symbol);
    for (const ArgumentField &argument : function.arguments)
      names.insert(argument.symbol);
  }
  const std::string name = freshName("own", names);
  for (llvm::StringRef use : {"this->own.", "other.own.", " own(other.own)", "mutable Own own;"}) {
    std::string renamed = llvm::join(llvm::split(use, "own"), name);
    text = llvm::join(llvm::split(text, use), renamed);
  }
  return text;
}

std::string lathe::writeCppHeader(const ModuleSignature &module, llvm::StringRef cHeader) {
  std::string guard = llvm::StringRef(module.prefix).upper() + "_HPP";
  std::string space = isCKeyword(module.prefix) || module.prefix == "std" ? module.prefix + "_" : module.prefix;
  bool usesContext = llvm::any_of(module.functions, [](const Signature &function) { return function.usesContext; });
  std::string out = fmt::format("// {}\n// The interface for C++17 and later.\n#ifndef {}\n#define {}\n#include \"{}\"\n\n",
                                generatedComment(module, "\n// "), guard, guard, cHeader.str());
  out += kCppTypes;
  out += kCppCalls;
  if (usesContext)
    out += kCppRuntime;
  out += fmt::format("\nnamespace {} {{\ninline namespace LATHE_CPP_MODE {{\n\n", space);
  out += CppModule(module).text();
  return out + "\n} // namespace LATHE_CPP_MODE\n} // namespace " + space + "\n#endif\n";
}

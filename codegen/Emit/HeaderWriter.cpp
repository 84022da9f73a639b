// The header of an object:
//
//   lathe_status, lathe_error                     // shared with lathe/runtime.h and other headers under one guard
//   declarations of the application's functions that the graph calls
//   PREFIX_STATE_SIZE and an accessor for each variable
//   PREFIX_WEIGHTS_SIZE and a loader, for weights in a file
//   for exported function NAME of the graph
//     struct PREFIX_NAME_args; PREFIX_NAME_workspace_size(sizes); PREFIX_NAME(args)
//   PREFIX_info(): the tables of lathe/runtime.h
//
// Comments give each field's shape and bounds in the graph's names, since the header is the object's documentation.
#include "codegen/Emit/HeaderWriter.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace lathe;

// The block of lathe/runtime.h under the same guard, without comments: the header included first defines the types. The test
// abi-block compares the two.
static const char *kSharedTypes = R"(#ifndef LATHE_ABI_VERSION
#define LATHE_ABI_VERSION 7
typedef enum lathe_status {
  LATHE_OK = 0,
  LATHE_ERROR_NULL_ARGUMENT = 1,
  LATHE_ERROR_MISALIGNED = 2,
  LATHE_ERROR_DIMENSION = 3,
  LATHE_ERROR_WORKSPACE_TOO_SMALL = 4,
  LATHE_ERROR_OVERLAP = 5,
  LATHE_ERROR_CPU_TOO_OLD = 6,
  LATHE_ERROR_OUT_OF_MEMORY = 7,
  LATHE_ERROR_IO = 8,
  LATHE_ERROR_FORMAT = 9,
  LATHE_ERROR_ABI = 10,
  LATHE_ERROR_EXTERN = 11,
  LATHE_ERROR_BOUND = 12,
  LATHE_ERROR_ASSERT = 13,
  LATHE_ERROR_NOT_FINITE = 14,
  LATHE_ERROR_OUT_OF_RANGE = 15,
  LATHE_ERROR_NO_DEVICE = 16,
  LATHE_ERROR_DEVICE = 17
} lathe_status;
typedef struct lathe_context lathe_context;
typedef struct lathe_error {
  lathe_status status;
  int32_t line, column;
  const char *file;
  const char *function;
  const char *op;
  const char *argument;
  const char *other;
  int64_t expected, actual;
  uint32_t rank;
  int64_t index[8];
  const char *node;
} lathe_error;
#endif
)";

static std::string upper(llvm::StringRef text) { return text.upper(); }

/// Returns text of the graph for a comment, modified so that it neither ends the comment nor seems to start one.
static std::string inComment(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if ((c == '/' && llvm::StringRef(result).ends_with("*")) || (c == '*' && llvm::StringRef(result).ends_with("/")))
      result += ' ';
    result += c;
  }
  return result;
}

static std::string commentType(mlir::Type element, llvm::ArrayRef<Dim> dims) { return inComment(typeText(element, dims)); }

static void writeState(const ModuleSignature &module, std::string &out) {
  if (module.state.empty())
    return;
  out += fmt::format("/* The state region: {} variables. The caller owns it; it must be 64-byte aligned. */\n",
                     module.state.size());
  out += fmt::format("#define {}_STATE_SIZE {}u /* bytes */\n", upper(module.prefix), module.stateSize);
  for (const StateField &field : module.state) {
    llvm::StringRef type = elementCType(field.type.getElementType());
    out += fmt::format(
        "static inline {0} *{1}_state_{2}(void *state) {{ /* {3} */\n  return ({0} *)(void *)((char *)state + {4}u);\n}}\n",
        type.str(), module.prefix, field.symbol, commentType(field.type.getElementType(), dimsOf(field.type)), field.offset);
  }
  out += "\n";
}

static const char *kLoaderIncludes = R"(#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
)";

// The loader uses only calls that strict C declares.
static const char *kLoader =
    R"(/* Maps the file at `path` into memory for reading. Returns LATHE_OK, or LATHE_ERROR_IO and sets errno. Entries check the contents. */
static inline lathe_status {0}_map_weights(const char *path, const void **weights, size_t *size) {{
  struct stat status;
  void *memory = MAP_FAILED;
  int file = open(path, O_RDONLY);
  if (file < 0)
    return LATHE_ERROR_IO;
  if (fstat(file, &status) == 0)
    memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    return LATHE_ERROR_IO;
  *weights = memory;
  *size = (size_t)status.st_size;
  return LATHE_OK;
}}
static inline void {0}_unmap_weights(const void *weights, size_t size) {{
  munmap((void *)(uintptr_t)weights, size);
}}
)";

static void writeWeights(const ModuleSignature &module, std::string &out) {
  if (!module.weightsSize)
    return;
  out +=
      fmt::format("/* The larger constants are in the safetensors file {}. The caller loads it and passes it to entries. */\n"
                  "#define {}_WEIGHTS_SIZE {}u /* bytes */\n",
                  inComment(module.weightsFile), upper(module.prefix), module.weightsSize);
  out += "#if defined(__unix__) || defined(__APPLE__)\n" + fmt::format(fmt::runtime(kLoader), module.prefix) + "#endif\n\n";
}

/// Returns the valid part of a result: ", the first *n of dimension 0".
static std::string countsComment(const Signature &function, const ArgumentField &argument) {
  std::string text;
  for (auto [dim, count] : llvm::enumerate(argument.counts))
    if (count >= 0)
      text +=
          fmt::format("{} *{} of dimension {}", text.empty() ? ", the first" : " and", function.arguments[count].symbol, dim);
  return text;
}

/// Returns the conditions on a dimension, each listed with the first dimension that it names: "; 2 * floor_div(H, 2) == H for
/// line 7".
static std::string requirementsComment(const Signature &function, const DimensionField &dimension) {
  std::string text;
  for (const RequiredExtent &required : function.requirements) {
    llvm::SmallVector<std::string> names;
    required.extent.collectNames(names);
    if (names.front() == dimension.name)
      text += fmt::format("; {} for line {}", inComment(required.str()), required.place.line);
  }
  return text;
}

static void writeFunction(const ModuleSignature &module, const Signature &function, std::string &out) {
  out += fmt::format("/* @{}, line {} of the graph */\ntypedef struct {}_args {{\n", inComment(function.name),
                     function.place.line, function.symbol);
  for (const DimensionField &dimension : function.dimensions) {
    out += fmt::format("  int64_t {}; /* {} to {}", dimension.symbol, dimension.minimum, dimension.maximum);
    if (dimension.multipleOf > 1)
      out += fmt::format(", a multiple of {}", dimension.multipleOf);
    out += requirementsComment(function, dimension) + " */\n";
  }
  for (const ArgumentField &argument : function.arguments)
    out += fmt::format("  {}{} *{}; /* {}{}{} */\n", argument.isOutput ? "" : "const ", elementCType(argument.element).str(),
                       argument.symbol, commentType(argument.element, argument.dims), argument.isOutput ? ", written" : "",
                       countsComment(function, argument));
  if (function.usesState)
    out += "  void *state;\n";
  if (function.usesWeights)
    out += fmt::format("  const void *weights; size_t weights_size; /* contents of {}, 64-byte aligned */\n",
                       inComment(module.weightsFile));
  out += "  void *workspace; /* 64-byte aligned; may be NULL if none is needed */\n  size_t workspace_size; /* bytes */\n";
  if (function.usesContext)
    out += "  lathe_context *context; /* threads and profiler; NULL: run on the calling thread */\n";
  out += fmt::format("  lathe_error *error; /* filled when the status is not LATHE_OK; may be NULL */\n}} {}_args;\n",
                     function.symbol);

  std::vector<std::string> parameters;
  for (const DimensionField &dimension : function.dimensions)
    parameters.push_back("int64_t " + dimension.symbol);
  if (parameters.empty())
    out += fmt::format("#define {}_WORKSPACE_SIZE ((size_t){}u)\n", upper(function.symbol), function.workspace.constant());
  out += fmt::format("/* Bytes of workspace{}. */\nsize_t {}_workspace_size({});\n",
                     parameters.empty()
                         ? ""
                         : fmt::format(", {}; SIZE_MAX if a dimension is out of range", inComment(function.workspace.str())),
                     function.symbol, parameters.empty() ? "void" : llvm::join(parameters, ", "));
  out += fmt::format("lathe_status {0}({0}_args *args);\n", function.symbol);
  for (const std::string &suffix : module.levelSuffixes)
    out += fmt::format("lathe_status {0}{1}({0}_args *args); /* always uses this CPU level */\n", function.symbol, suffix);
  out += "\n";
}

/// Adds parameters such as "const float *in0, const int64_t in0_shape[2]".
static void addParameters(llvm::ArrayRef<mlir::Type> types, llvm::StringRef qualifier, llvm::StringRef name,
                          std::vector<std::string> &parameters) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    std::string symbol = name.str() + std::to_string(i);
    parameters.push_back(fmt::format("{}{} *{}", qualifier.str(), elementCType(tensor.getElementType()).str(), symbol));
    if (tensor.getRank())
      parameters.push_back(fmt::format("const int64_t {}_shape[{}]", symbol, tensor.getRank()));
  }
}

static void writeExterns(const ModuleSignature &module, std::string &out) {
  if (module.externs.empty())
    return;
  out +=
      "/* The application defines these functions, which the graph calls. Parameters are the row-major inputs in* with their\n"
      " * extents, then the outputs out*. A function returns LATHE_OK, or a status that ends the entry: LATHE_ERROR_EXTERN, or\n"
      " * a code of its own from 100 on. */\n";
  auto list = [](llvm::ArrayRef<mlir::Type> types) {
    auto texts = llvm::map_to_vector(types, [](mlir::Type type) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      return commentType(tensor.getElementType(), dimsOf(tensor));
    });
    return llvm::join(texts, ", ");
  };
  for (const ExternFunction &function : module.externs) {
    std::vector<std::string> parameters;
    addParameters(function.signature.inputs, "const ", "in", parameters);
    addParameters(function.signature.outputs, "", "out", parameters);
    out += fmt::format("/* line {} of the graph: ({}) -> ({}) */\nlathe_status {}({});\n", function.place.line,
                       list(function.signature.inputs), list(function.signature.outputs), function.signature.symbol,
                       llvm::join(parameters, ", "));
  }
  out += "\n";
}

std::string lathe::writeHeader(const ModuleSignature &module) {
  std::string guard = upper(module.prefix) + "_H", out;
  bool usesRuntime = llvm::any_of(module.functions, [](const Signature &function) { return function.usesContext; });
  out += fmt::format("/* Generated by Lathe from {}. An entry returns LATHE_OK, or a status that says what is wrong. */\n",
                     inComment(module.source));
  out += fmt::format(
      "#ifndef {0}\n#define {0}\n#include <stddef.h>\n#include <stdint.h>\n{1}#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      guard, module.weightsSize ? kLoaderIncludes : "");
  out += kSharedTypes;
  out += "\n";
  writeExterns(module, out);
  writeState(module, out);
  writeWeights(module, out);
  for (const Signature &function : module.functions)
    writeFunction(module, function, out);
  if (usesRuntime)
    out +=
        "struct lathe_module_info;\n/* Describes the names, types and shapes of everything above, for generic callers (lathe/runtime.h). "
        "*/\n";
  else
    out += "struct lathe_module_info;\n";
  out +=
      fmt::format("const struct lathe_module_info *{}_info(void);\n\n#ifdef __cplusplus\n}}\n#endif\n#endif\n", module.prefix);
  return out;
}

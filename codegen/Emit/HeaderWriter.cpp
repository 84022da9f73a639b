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
#include "codegen/Emit/HeaderText.h"
#include "lathe/runtime.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace lathe;

// The block of lathe/runtime.h under the same guard, without comments: the header included first defines the types. The test
// abi-block compares the two.
static const char *kSharedTypes = R"(#ifndef LATHE_ABI_VERSION
#define LATHE_ABI_VERSION 9
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
  LATHE_ERROR_DEVICE = 17,
  LATHE_ERROR_COMM = 18
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

// Refuses the types of another version that were included first, and defines casts without warnings in C and C++.
static const char *kSharedChecks = R"(#if LATHE_ABI_VERSION != {0}
#error "this header has the Lathe ABI version {0}, and a header that was included before has another one: compile the graph and build the runtime with one version of Lathe"
#endif
#ifndef LATHE_CAST
#ifdef __cplusplus
#define LATHE_CAST(type, value) static_cast<type>(value)
#define LATHE_CAST_CONST(type, value) const_cast<type>(value)
#else
#define LATHE_CAST(type, value) ((type)(value))
#define LATHE_CAST_CONST(type, value) ((type)(uintptr_t)(value))
#endif
#endif
)";

static std::string upper(llvm::StringRef text) { return text.upper(); }

static void writeState(const ModuleSignature &module, std::string &out) {
  if (module.state.empty())
    return;
  out += fmt::format("/* The state region: {} variables. The caller owns it; it must be 64-byte aligned. */\n",
                     module.state.size());
  out += fmt::format("#define {}_STATE_SIZE {}u /* bytes */\n", upper(module.prefix), module.stateSize);
  for (const StateField &field : module.state) {
    llvm::StringRef type = elementCType(field.type.getElementType());
    out += blockComment(field.doc, "");
    out += fmt::format("static inline {0} *{1}_state_{2}(void *state) {{ /* {3} */\n"
                       "  return LATHE_CAST({0} *, LATHE_CAST(void *, LATHE_CAST(char *, state) + {4}u));\n}}\n",
                       type.str(), module.prefix, field.symbol, commentType(field.type.getElementType(), dimsOf(field.type)),
                       field.offset);
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
    memory = mmap(NULL, LATHE_CAST(size_t, status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    return LATHE_ERROR_IO;
  *weights = memory;
  *size = LATHE_CAST(size_t, status.st_size);
  return LATHE_OK;
}}
static inline void {0}_unmap_weights(const void *weights, size_t size) {{
  munmap(LATHE_CAST_CONST(void *, weights), size);
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

/// Declares the function that returns the bytes of a region, and a macro for them if they are a number.
static void writeSize(const Signature &function, llvm::StringRef region, const Dim &bytes, std::string &out) {
  std::vector<std::string> parameters;
  for (const DimensionField &dimension : function.dimensions)
    parameters.push_back("int64_t " + dimension.symbol);
  std::string name = function.symbol + "_" + toCIdentifier(region, "_") + "_size";
  if (parameters.empty())
    out += fmt::format("#define {} LATHE_CAST(size_t, {}u)\n", upper(name), bytes.constant());
  out += fmt::format("/* Bytes of {}{}. */\nsize_t {}({});\n", region.str(),
                     parameters.empty() ? ""
                                        : fmt::format(", {}; SIZE_MAX if a dimension is out of range", inComment(bytes.str())),
                     name, parameters.empty() ? "void" : llvm::join(parameters, ", "));
}

static void writeFunction(const ModuleSignature &module, const Signature &function, std::string &out) {
  out += fmt::format("/* {} */\ntypedef struct {}_args {{\n", functionComment(function, "\n * "), function.symbol);
  for (const DimensionField &dimension : function.dimensions)
    out += fmt::format("  int64_t {}; /* {} */\n", dimension.symbol, dimensionComment(function, dimension));
  for (const ArgumentField &argument : function.arguments)
    out += fmt::format("  {}{} *{}; /* {} */\n", argument.isOutput ? "" : "const ", elementCType(argument.element).str(),
                       argument.symbol, argumentComment(function, argument));
  if (function.usesState)
    out += function.writesState() ? "  void *state; /* read and written */\n" : "  const void *state; /* only read */\n";
  if (function.usesWeights)
    out += fmt::format("  const void *weights; size_t weights_size; /* contents of {}, 64-byte aligned */\n",
                       inComment(module.weightsFile));
  out += "  void *workspace; /* 64-byte aligned; may be NULL if none is needed */\n  size_t workspace_size; /* bytes */\n";
  if (function.usesCold)
    out += "  void *cold_workspace; /* 64-byte aligned, may be slower memory; may be NULL if none is needed */\n"
           "  size_t cold_workspace_size; /* bytes */\n";
  if (function.usesContext)
    out += "  lathe_context *context; /* threads and profiler; NULL: run on the calling thread */\n";
  out += fmt::format("  lathe_error *error; /* filled when the status is not LATHE_OK; may be NULL */\n}} {}_args;\n",
                     function.symbol);

  writeSize(function, "workspace", function.workspace, out);
  if (function.usesCold)
    writeSize(function, "cold workspace", function.coldWorkspace, out);
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
  out += fmt::format("/* {}\n * An entry returns LATHE_OK, or a status that says what is wrong. */\n",
                     generatedComment(module, "\n * "));
  out += blockComment(module.doc, "");
  out += fmt::format(
      "#ifndef {0}\n#define {0}\n#include <stddef.h>\n#include <stdint.h>\n{1}#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      guard, module.weightsSize ? kLoaderIncludes : "");
  out += kSharedTypes + fmt::format(fmt::runtime(kSharedChecks), LATHE_ABI_VERSION) + "\n";
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

// Runs an entry of a compiled object through its tables: it runs the code that a program would link.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Compiler/CompileFile.h"
#include "tools/lathe-run/Npy.h"
#include "tools/lathe-run/ObjectLoader.h"
#include "tools/lathe-run/Runner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>
#include <fmt/format.h>

using namespace lathe;

namespace {

/// Memory where a context's entries need state and workspace; host memory without a context.
struct Region {
  explicit Region(size_t size, lathe_context *context = nullptr)
      : memory(lathe_context_alloc(context, std::max<size_t>(size, 64))), context(context) {}
  ~Region() { lathe_context_free(context, memory); }
  Region(const Region &) = delete;
  void *memory;
  lathe_context *context;
};

/// The file beside an object that was compiled with --weights=extern.
struct Weights {
  const void *data = nullptr;
  size_t size = 0;

  void map(const std::string &path, std::string &error) {
    std::error_code problem;
    auto file = llvm::sys::fs::openNativeFileForRead(path);
    uint64_t length = 0;
    if (!file)
      problem = llvm::errorToErrorCode(file.takeError());
    else if (!(problem = llvm::sys::fs::file_size(path, length))) {
      mapped = llvm::sys::fs::mapped_file_region(*file, llvm::sys::fs::mapped_file_region::readonly, length, 0, problem);
      llvm::sys::fs::closeFile(*file);
    }
    if (problem) {
      error = "the object's weights, '" + path + "', cannot be read: " + problem.message();
      return;
    }
    data = mapped.const_data();
    size = length;
  }
  void copy(const std::string &bytes, std::string &error) {
    if (bytes.empty())
      return;
    copied = std::make_unique<Region>(bytes.size());
    if (!copied->memory) {
      error = "out of memory: the weights take " + std::to_string(bytes.size()) + " bytes";
      return;
    }
    std::memcpy(copied->memory, bytes.data(), bytes.size());
    data = copied->memory;
    size = bytes.size();
  }

private:
  llvm::sys::fs::mapped_file_region mapped;
  std::unique_ptr<Region> copied;
};

class CompiledRunner : public Runner {
public:
  ~CompiledRunner() override {
    state.reset(); // before their context
    workspace.reset();
    onDevice.clear();
    lathe_context_destroy(context);
  }

  std::optional<Failure> load(const RunOptions &options);
  const Signature &getSignature() const override { return signature; }
  std::optional<Failure> select(const std::string &function) override;
  std::vector<std::string> getVariables() const override;
  Tensor getVariable(const std::string &name) const override;
  void setVariable(const std::string &name, const Tensor &value) override;
  Expected<Tensors> runEntry(const Tensors &inputs, Tensors earlier) override;
  void setPrints(bool prints) override { context->print = prints ? lathe_print : nullptr; }
  lathe_context *getContext() override { return context; }

private:
  Expected<Tensors> call(const lathe_function_info &function, const Tensors &inputs, Tensors earlier);
  std::optional<Failure> createContext(const RunOptions &options);
  std::optional<Failure> checkSizes(const RunOptions &options) const;
  std::optional<Failure> placeArguments(const lathe_function_info &function, std::vector<char> &args, const Tensors &inputs,
                                        const Tensors &results);
  std::optional<Failure> fetchResults(const lathe_function_info &function, Tensors &results);
  std::optional<Failure> bind(const lathe_function_info &function, const Tensors &inputs, std::vector<int64_t> &dims);

  const lathe_module_info *module = nullptr;
  const lathe_function_info *entry = nullptr;
  lathe_context *context = nullptr;
  Signature signature;
  std::map<std::string, int64_t> givenSizes; // of --dim
  Weights weights;
  std::unique_ptr<Region> state;
  std::unique_ptr<Region> workspace;
  size_t workspaceSize = 0;
  std::vector<std::unique_ptr<Region>> onDevice; // the arguments of a call in device memory
  bool placesOnDevice = false;
};

/// Returns the element type. Both lists have equal numbers; a table from elsewhere may contain any number.
std::optional<Element> knownElement(lathe_dtype type) {
  return type >= LATHE_I1 && type <= LATHE_F64 ? std::optional(Element(type)) : std::nullopt;
}

/// Returns the dimensions of "f32[N][16]".
Dims parseShape(llvm::StringRef text) {
  Dims dims;
  while (true) {
    auto [head, rest] = text.split('[');
    if (rest.empty())
      return dims;
    auto [dim, tail] = rest.split(']');
    dims.push_back(dimFromText(dim));
    text = tail;
  }
}

/// Returns the extents of all arguments for these sizes, one after the other.
std::vector<int64_t> extentsOf(const lathe_function_info &function, const std::vector<int64_t> &dims) {
  size_t count = 0;
  for (uint32_t i = 0; i < function.argument_count; ++i)
    count += function.arguments[i].rank;
  std::vector<int64_t> extents(count + 1); // never without memory
  function.shapes(dims.data(), extents.data());
  return extents;
}

/// True for `@init(%seed: tensor<i64>)`. An @init with other arguments is an ordinary entry.
bool isInitialiser(const lathe_function_info &function) {
  if (std::strcmp(function.name, "init") != 0 || function.argument_count != 1)
    return false;
  const lathe_argument_info &seed = function.arguments[0];
  return !seed.is_output && seed.dtype == LATHE_I64 && seed.rank == 0;
}

static Failure failureOf(const lathe_error &error) {
  char text[512];
  lathe_error_format(&error, text, sizeof text);
  llvm::StringRef reason = text;
  if (!error.file) // otherwise the place comes first
    reason.consume_front("error: ");
  return Failure{kFailed, reason.str(), error.file != nullptr};
}

std::optional<Failure> CompiledRunner::createContext(const RunOptions &options) {
  lathe_error error = {};
  if (options.wantsDevice())
    context = lathe_context_create_cuda(options.device, &error);
  bool isOnDevice = context != nullptr;
  if (options.wantsDevice() && !isOnDevice) {
    if (!options.allowsCpu())
      return failureOf(error);
    llvm::errs() << "lathe-run: on the CPU: " << failureOf(error).reason << "\n";
  }
  if (!context)
    context = lathe_context_create(options.threads);
  if (!context)
    return Failure{kFailed, "cannot start " + std::to_string(options.threads) + " threads"};
  placesOnDevice = options.placesArguments && isOnDevice;
  if (placesOnDevice)
    context->device_arguments = UINT64_MAX;
  return std::nullopt;
}

/// Returns the sizes in the files of inputs, by input and axis as --dim takes them.
static std::map<std::string, int64_t> sizesOfFiles(const RunOptions &options) {
  std::map<std::string, int64_t> sizes;
  for (auto &[name, source] : options.inputs) {
    if (source.size() < 2 || source[0] != '@')
      continue;
    Expected<Tensor> value = readNpy(source.substr(1));
    if (auto *tensor = std::get_if<Tensor>(&value))
      for (auto [axis, extent] : llvm::enumerate(tensor->getShape()))
        sizes[name + "." + std::to_string(axis)] = extent;
  }
  return sizes;
}

/// Compiles the graph. If a model is refused with open sizes, retries with those of its input files.
static CompileResult compileWithSizes(const RunOptions &options) {
  CompileResult result = compileFile(options.graph, options.compile, options.constants.get());
  if (result.status != CompileStatus::Refused || !llvm::StringRef(options.graph).ends_with(".onnx"))
    return result;
  CompileOptions fixed = options.compile;
  std::map<std::string, int64_t> sizes = sizesOfFiles(options);
  fixed.fixedDims.insert(sizes.begin(), sizes.end());
  if (sizes.empty())
    return result;
  CompileResult second = compileFile(options.graph, fixed, options.constants.get());
  if (second.status != CompileStatus::Done)
    return result;
  second.diagnostics += "note: the model needs fixed sizes; using those of the input files\n";
  return second;
}

/// Checks that an object has the dimensions that --dim names. Those of a graph are checked while it is compiled.
std::optional<Failure> CompiledRunner::checkSizes(const RunOptions &options) const {
  std::set<std::string> names;
  for (uint32_t i = 0; i < module->function_count; ++i)
    for (uint32_t k = 0; k < module->functions[i].dimension_count; ++k)
      names.insert(module->functions[i].dimensions[k].name);
  for (auto &[name, size] : options.dims)
    if (!names.count(name))
      return Failure{kWrongUsage, "--dim: the object has no dimension '" + name + "'; it has " +
                                      (names.empty() ? "none" : llvm::join(names, ", "))};
  return std::nullopt;
}

std::optional<Failure> CompiledRunner::load(const RunOptions &options) {
  std::string error;
  llvm::StringRef path = options.graph;
  if (path != "-" && !llvm::sys::fs::exists(path))
    return Failure{kWrongUsage, "there is no file '" + options.graph + "'"};
  if (options.isObject()) {
    module = loadObject(options.graph, error);
    if (module && module->weights_size)
      weights.map(path.rsplit('.').first.str() + ".weights", error);
  } else {
    if (std::string reason = foreignTarget(options.compile.target); !reason.empty())
      return Failure{kWrongUsage, reason};
    CompileResult result = compileWithSizes(options);
    llvm::errs() << result.diagnostics;
    if (result.status == CompileStatus::WrongUsage)
      return Failure{kWrongUsage, ""};
    if (result.status != CompileStatus::Done)
      return Failure{kRefused, ""};
    module = loadObjectBytes(result.code, error);
    if (module)
      weights.copy(result.weights, error);
  }
  if (!module || !error.empty())
    return Failure{kWrongUsage, error};
  if (options.isObject())
    if (std::optional<Failure> failure = checkSizes(options))
      return failure;
  givenSizes = options.dims;
  if (std::optional<Failure> failure = createContext(options))
    return failure;
  setPrints(options.prints);
  state = std::make_unique<Region>(module->state_size, context);
  if (!state->memory)
    return Failure{kFailed, "out of memory: the state takes " + std::to_string(module->state_size) + " bytes"};
  if (std::optional<Failure> failure = select(options.function))
    return failure;
  for (uint32_t i = 0; i < module->function_count; ++i) {
    const lathe_function_info &init = module->functions[i];
    if (module->state_size == 0 || !isInitialiser(init) || entry == &init)
      continue;
    Expected<Tensors> done = call(init, {Tensor::scalar<int64_t>(options.seed)}, {});
    if (auto *failure = std::get_if<Failure>(&done))
      return *failure;
  }
  return std::nullopt;
}

/// Returns the numbers, among results, of those that hold the valid size of each dimension.
static std::vector<int> countsOf(const lathe_function_info &function, const lathe_argument_info &argument) {
  if (!argument.counts)
    return {};
  std::vector<int> counts(argument.counts, argument.counts + argument.rank);
  auto isInput = [](const lathe_argument_info &other) { return !other.is_output; };
  for (int &count : counts)
    if (count >= 0)
      count -= int(std::count_if(function.arguments, function.arguments + count, isInput));
  return counts;
}

std::optional<Failure> CompiledRunner::select(const std::string &name) {
  std::string all;
  entry = nullptr;
  for (uint32_t i = 0; i < module->function_count; ++i) {
    all += (all.empty() ? "" : ", ") + std::string(module->functions[i].name);
    // By default the first entry of the graph; an entry made from initialisers comes last.
    if (!entry && (name.empty() || name == module->functions[i].name))
      entry = &module->functions[i];
  }
  if (!entry)
    return Failure{kWrongUsage,
                   all.empty() ? "there is no public function" : "there is no function '" + name + "'; there are " + all};
  signature = {entry->name, {}, {}};
  for (uint32_t i = 0; i < entry->argument_count; ++i) {
    const lathe_argument_info &argument = entry->arguments[i];
    std::optional<Element> element = knownElement(argument.dtype);
    if (!element)
      return Failure{kWrongUsage,
                     std::string("argument '") + argument.name + "' has an element type that lathe-run does not support"};
    (argument.is_output ? signature.results : signature.inputs)
        .push_back({argument.name, *element, parseShape(argument.type_text), countsOf(*entry, argument)});
  }
  return std::nullopt;
}

std::vector<std::string> CompiledRunner::getVariables() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < module->state_count; ++i)
    names.push_back(module->state[i].name);
  return names;
}

/// Returns the record of an existing variable.
static const lathe_state_info *find(const lathe_module_info *module, const std::string &name) {
  return std::find_if(module->state, module->state + module->state_count,
                      [&](auto &variable) { return name == variable.name; });
}

Tensor CompiledRunner::getVariable(const std::string &name) const {
  const lathe_state_info *info = find(module, name);
  Tensor tensor(*knownElement(info->dtype), llvm::ArrayRef<int64_t>(info->extents, info->rank));
  if (info->size)
    lathe_context_download(context, tensor.data<char>(), static_cast<const char *>(state->memory) + info->offset, info->size,
                           nullptr);
  return tensor;
}

void CompiledRunner::setVariable(const std::string &name, const Tensor &value) {
  const lathe_state_info *info = find(module, name);
  if (info->size)
    lathe_context_upload(context, static_cast<char *>(state->memory) + info->offset, value.data<char>(), info->size, nullptr);
}

/// Returns why the inputs' shapes do not determine the size of a dimension: the first extent that does not have the form of its
/// expression, if there is one.
static std::string whyUnsolved(const std::string &name, llvm::ArrayRef<Dims> shapes, llvm::ArrayRef<std::string> arguments,
                               llvm::ArrayRef<llvm::ArrayRef<int64_t>> given) {
  for (auto [shape, argument, extents] : llvm::zip(shapes, arguments, given))
    for (auto [i, dim, extent] : llvm::enumerate(shape, extents))
      if (!dim.isStatic() && llvm::all_of(dim.getTerms(), [&](auto &term) { // a polynomial of this dimension, not a quotient
            return llvm::all_of(term.first, [&](const std::string &factor) { return factor == name; });
          }))
        return fmt::format("dimension {} of '{}' is {}, which is not {} for any size of '{}'", i, argument, extent, dim.str(),
                           name);
  return fmt::format("the inputs do not determine the size of dimension '{0}'; use --dim {0}=SIZE", name);
}

/// Sets the sizes of named dimensions from --dim and the inputs' shapes, and checks the shapes against the object's.
std::optional<Failure> CompiledRunner::bind(const lathe_function_info &function, const Tensors &inputs,
                                            std::vector<int64_t> &dims) {
  std::vector<Dims> shapes;
  std::vector<llvm::ArrayRef<int64_t>> given;
  std::vector<std::string> names;
  std::map<std::string, Dim> known(givenSizes.begin(), givenSizes.end());
  for (uint32_t i = 0; i < function.argument_count; ++i)
    if (!function.arguments[i].is_output) {
      Dims &dims = shapes.emplace_back(parseShape(function.arguments[i].type_text));
      for (Dim &dim : dims)
        dim = dim.substitute(known);
      given.push_back(inputs[given.size()].getShape());
      names.push_back(function.arguments[i].name);
    }
  SolvedDims solved = solveDims(shapes, given);
  solved.sizes.insert(givenSizes.begin(), givenSizes.end());
  std::string unsolved;
  for (uint32_t k = 0; k < function.dimension_count; ++k) {
    auto size = solved.sizes.find(function.dimensions[k].name);
    if (size == solved.sizes.end())
      unsolved = whyUnsolved(function.dimensions[k].name, shapes, names, given);
    dims.push_back(size == solved.sizes.end() ? 0 : size->second);
  }
  std::vector<int64_t> extents = extentsOf(function, dims);
  const int64_t *expected = extents.data();
  size_t input = 0;
  for (uint32_t i = 0; i < function.argument_count; expected += function.arguments[i++].rank) {
    if (function.arguments[i].is_output)
      continue;
    llvm::ArrayRef<int64_t> given = inputs[input++].getShape();
    if (given != llvm::ArrayRef<int64_t>(expected, function.arguments[i].rank))
      return Failure{kWrongUsage, std::string("input '") + function.arguments[i].name + "' does not fit " +
                                      function.arguments[i].type_text +
                                      (!unsolved.empty()    ? ": " + unsolved
                                       : givenSizes.empty() ? " with the sizes that other inputs give"
                                                            : " with the sizes that --dim and other inputs give")};
  }
  if (!unsolved.empty())
    return Failure{kWrongUsage, unsolved};
  return std::nullopt;
}

Expected<Tensors> CompiledRunner::call(const lathe_function_info &function, const Tensors &inputs, Tensors earlier) {
  std::vector<int64_t> dims;
  if (std::optional<Failure> failure = bind(function, inputs, dims))
    return *failure;
  std::vector<int64_t> extents = extentsOf(function, dims);
  std::vector<char> args(function.args_size);
  auto put = [&]<typename T>(uint32_t offset, const T &value) {
    if (offset != LATHE_ABSENT)
      std::memcpy(args.data() + offset, &value, sizeof(T));
  };
  for (uint32_t i = 0; i < function.dimension_count; ++i)
    put(function.dimensions[i].offset, dims[i]);
  Tensors results;
  results.reserve(function.argument_count); // keeps pointers into it valid
  const int64_t *shape = extents.data();
  size_t input = 0;
  for (uint32_t i = 0; i < function.argument_count; shape += function.arguments[i++].rank) {
    const lathe_argument_info &argument = function.arguments[i];
    const void *data;
    if (argument.is_output) {
      llvm::SmallVector<int64_t> sizes(shape, shape + argument.rank);
      for (int64_t &size : sizes)
        size = std::max<int64_t>(size, 0); // the entry refuses the call, and reports which op needs more
      if (!countElements(sizes))
        return Failure{kFailed, std::string("result '") + argument.name + "' is too large for these sizes"};
      size_t next = results.size();
      bool fits = next < earlier.size() && earlier[next].getElement() == *knownElement(argument.dtype) &&
                  earlier[next].getShape() == llvm::ArrayRef(sizes);
      results.push_back(fits ? std::move(earlier[next]) : Tensor(*knownElement(argument.dtype), sizes));
      data = results.back().getBytes().data();
    } else {
      data = inputs[input++].getBytes().data();
    }
    put(argument.offset, data);
  }
  size_t needed = function.workspace_size(dims.data());
  if (needed != SIZE_MAX && needed > workspaceSize) {
    workspace = std::make_unique<Region>(needed, context);
    workspaceSize = workspace->memory ? needed : 0;
    if (!workspace->memory)
      return Failure{kFailed, "out of memory: the workspace takes " + std::to_string(needed) + " bytes"};
  }
  lathe_error error = {};
  void *statePointer = state->memory, *workspacePointer = workspace ? workspace->memory : nullptr, *errorPointer = &error;
  put(function.state_offset, statePointer);
  put(function.weights_offset, weights.data);
  put(function.weights_size_offset, weights.size);
  put(function.workspace_offset, workspacePointer);
  put(function.workspace_size_offset, workspaceSize);
  put(function.context_offset, context);
  put(function.error_offset, errorPointer);
  if (placesOnDevice)
    if (std::optional<Failure> failure = placeArguments(function, args, inputs, results))
      return *failure;
  if (function.call(args.data()) != LATHE_OK)
    return failureOf(error);
  if (placesOnDevice)
    if (std::optional<Failure> failure = fetchResults(function, results))
      return *failure;
  return results;
}

/// Copies inputs to device memory and allocates results there.
std::optional<Failure> CompiledRunner::placeArguments(const lathe_function_info &function, std::vector<char> &args,
                                                      const Tensors &inputs, const Tensors &results) {
  onDevice.clear();
  size_t input = 0, result = 0;
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const lathe_argument_info &argument = function.arguments[i];
    llvm::ArrayRef<char> bytes = argument.is_output ? results[result++].getBytes() : inputs[input++].getBytes();
    onDevice.push_back(std::make_unique<Region>(bytes.size(), context));
    void *place = onDevice.back()->memory;
    if (!place)
      return Failure{kFailed, std::string("out of the device's memory: argument '") + argument.name + "'"};
    lathe_error error = {};
    if (!argument.is_output && !bytes.empty() &&
        lathe_context_upload(context, place, bytes.data(), bytes.size(), &error) != LATHE_OK)
      return failureOf(error);
    std::memcpy(args.data() + argument.offset, &place, sizeof place);
  }
  return std::nullopt;
}

std::optional<Failure> CompiledRunner::fetchResults(const lathe_function_info &function, Tensors &results) {
  size_t result = 0;
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    if (!function.arguments[i].is_output)
      continue;
    llvm::MutableArrayRef<char> bytes = results[result++].getBytes();
    lathe_error error = {};
    if (!bytes.empty() && lathe_context_download(context, bytes.data(), onDevice[i]->memory, bytes.size(), &error) != LATHE_OK)
      return failureOf(error);
  }
  return std::nullopt;
}

Expected<Tensors> CompiledRunner::runEntry(const Tensors &inputs, Tensors earlier) {
  return call(*entry, inputs, std::move(earlier));
}

} // namespace

Expected<std::unique_ptr<Runner>> createCompiledRunner(const RunOptions &options) {
  auto runner = std::make_unique<CompiledRunner>();
  if (std::optional<Failure> failure = runner->load(options))
    return *failure;
  return std::unique_ptr<Runner>(std::move(runner));
}

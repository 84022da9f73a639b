#include "tools/lathe-run/CompiledRunner.h"
#include "lib/Compiler/CompileFile.h"
#include "lib/Support/Terminal.h"
#include "tools/lathe-run/EntrySizes.h"
#include "tools/lathe-run/Npy.h"
#include "tools/lathe-run/ObjectLoader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace lathe;

Failure failureOf(const lathe_error &error) {
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
  Progress progress("lathe-run: compiling " + llvm::sys::path::filename(options.graph).str());
  CompileOptions compile = options.compile;
  compile.progress = [&](const std::string &part) { progress.set(part); };
  CompileResult result = compileFile(options.graph, compile, options.constants.get());
  if (result.status != CompileStatus::Refused || !llvm::StringRef(options.graph).ends_with(".onnx"))
    return result;
  CompileOptions fixed = compile;
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

/// True for `@init(%seed: tensor<i64>)`. An @init with other arguments is an ordinary entry.
static bool isInitialiser(const lathe_function_info &function) {
  if (std::strcmp(function.name, "init") != 0 || function.argument_count != 1)
    return false;
  const lathe_argument_info &seed = function.arguments[0];
  return !seed.is_output && seed.dtype == LATHE_I64 && seed.rank == 0;
}

/// Loads the object, or compiles the graph and loads the result.
std::optional<Failure> CompiledRunner::openModule(const RunOptions &options) {
  std::string error;
  llvm::StringRef path = options.graph;
  if (path != "-" && !llvm::sys::fs::exists(path))
    return Failure{kWrongUsage, "there is no file '" + options.graph + "'"};
  if (options.isObject()) {
    module = object->open(options.graph, error);
    if (module && module->weights_size)
      error = weights->map(path.rsplit('.').first.str() + ".weights");
  } else {
    if (std::string reason = foreignTarget(options.compile.target); !reason.empty())
      return Failure{kWrongUsage, reason};
    CompileResult result = compileWithSizes(options);
    llvm::errs() << result.diagnostics;
    if (result.status == CompileStatus::WrongUsage)
      return Failure{kWrongUsage, ""};
    if (result.status != CompileStatus::Done)
      return Failure{kRefused, ""};
    description = result.description;
    module = object->openBytes(result.code, error);
    if (module)
      error = weights->copy(result.weights);
  }
  if (!module || !error.empty())
    return Failure{kWrongUsage, error};
  return options.isObject() ? checkSizes(options) : std::nullopt;
}

std::optional<Failure> CompiledRunner::initialise(int64_t seed) {
  for (uint32_t i = 0; i < module->function_count; ++i) {
    const lathe_function_info &init = module->functions[i];
    if (module->state_size == 0 || !isInitialiser(init) || entry == &init)
      continue;
    Expected<Tensors> done = call(init, {Tensor::scalar<int64_t>(seed)}, {});
    if (auto *failure = std::get_if<Failure>(&done))
      return *failure;
  }
  return std::nullopt;
}

/// Creates the context and the state, which is zeros.
std::optional<Failure> CompiledRunner::createState(const RunOptions &options) {
  if (std::optional<Failure> failure = createContext(options))
    return failure;
  setPrints(options.prints);
  state = std::make_unique<ContextMemory>(module->state_size, context);
  if (!state->memory)
    return Failure{kFailed, "out of memory: the state takes " + std::to_string(module->state_size) + " bytes"};
  return std::nullopt;
}

std::optional<Failure> CompiledRunner::load(const RunOptions &options) {
  if (std::optional<Failure> failure = openModule(options))
    return failure;
  givenSizes = options.dims;
  if (std::optional<Failure> failure = createState(options))
    return failure;
  if (std::optional<Failure> failure = select(options.function))
    return failure;
  return initialise(options.seed);
}

std::optional<Failure> CompiledRunner::loadRank(const RunOptions &options, CompiledRunner *first, lathe_comm *comm) {
  if (first == this) {
    if (std::optional<Failure> failure = openModule(options))
      return failure;
  } else {
    object = first->object;
    weights = first->weights;
    module = first->module;
  }
  givenSizes = options.dims;
  for (const RankAxis &axis : options.ranks) // an axis that is open in an entry is its dimension
    givenSizes.emplace(axis.name, axis.size);
  if (std::optional<Failure> failure = createState(options))
    return failure;
  context->comm = comm;
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
static const lathe_state_info *variableOf(const lathe_module_info *module, const std::string &name) {
  return std::find_if(module->state, module->state + module->state_count,
                      [&](auto &variable) { return name == variable.name; });
}

Tensor CompiledRunner::getVariable(const std::string &name) const {
  const lathe_state_info *info = variableOf(module, name);
  Tensor tensor(*knownElement(info->dtype), llvm::ArrayRef<int64_t>(info->extents, info->rank));
  if (info->size)
    lathe_context_download(context, tensor.data<char>(), static_cast<const char *>(state->memory) + info->offset, info->size,
                           nullptr);
  return tensor;
}

void CompiledRunner::setVariable(const std::string &name, const Tensor &value) {
  const lathe_state_info *info = variableOf(module, name);
  if (info->size)
    lathe_context_upload(context, static_cast<char *>(state->memory) + info->offset, value.data<char>(), info->size, nullptr);
}

Expected<Tensors> CompiledRunner::runEntry(const Tensors &inputs, Tensors earlier) {
  return call(*entry, inputs, std::move(earlier));
}

Expected<std::unique_ptr<Runner>> createCompiledRunner(const RunOptions &options) {
  auto runner = std::make_unique<CompiledRunner>();
  if (std::optional<Failure> failure = runner->load(options))
    return *failure;
  return std::unique_ptr<Runner>(std::move(runner));
}

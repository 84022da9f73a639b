// Calls of entries: the args struct, results, workspace and device memory.
#include "tools/lathe-run/CompiledRunner.h"
#include "tools/lathe-run/EntrySizes.h"
#include <cstring>

using namespace lathe;

/// Allocates the results for these extents of all arguments. Earlier results of the same shape provide their memory.
static Expected<Tensors> makeResults(const lathe_function_info &function, const std::vector<int64_t> &extents,
                                     Tensors earlier) {
  Tensors results;
  const int64_t *shape = extents.data();
  for (uint32_t i = 0; i < function.argument_count; shape += function.arguments[i++].rank) {
    const lathe_argument_info &argument = function.arguments[i];
    if (!argument.is_output)
      continue;
    llvm::SmallVector<int64_t> sizes(shape, shape + argument.rank);
    for (int64_t &size : sizes)
      size = std::max<int64_t>(size, 0); // the entry refuses the call, and reports which op needs more
    if (!countElements(sizes))
      return Failure{kFailed, std::string("result '") + argument.name + "' is too large for these sizes"};
    size_t next = results.size();
    bool fits = next < earlier.size() && earlier[next].getElement() == *knownElement(argument.dtype) &&
                earlier[next].getShape() == llvm::ArrayRef(sizes);
    results.push_back(fits ? std::move(earlier[next]) : Tensor(*knownElement(argument.dtype), sizes));
  }
  return results;
}

std::optional<Failure> CompiledRunner::growWorkspaces(const lathe_function_info &function, const int64_t *dims) {
  size_t needed = function.workspace_size(dims);
  neededWorkspace = needed == SIZE_MAX ? 0 : needed;
  if (std::optional<Failure> failure = grow(workspace, workspaceSize, needed, "workspace"))
    return failure;
  if (!function.cold_workspace_size)
    return std::nullopt;
  return grow(coldWorkspace, coldWorkspaceSize, function.cold_workspace_size(dims), "cold workspace");
}

/// Replaces memory that is too small. The entry itself refuses SIZE_MAX.
std::optional<Failure> CompiledRunner::grow(std::unique_ptr<ContextMemory> &memory, size_t &size, size_t needed,
                                            llvm::StringRef what) {
  if (needed == SIZE_MAX || needed <= size)
    return std::nullopt;
  memory = std::make_unique<ContextMemory>(needed, context);
  size = memory->memory ? needed : 0;
  if (!memory->memory)
    return Failure{kFailed, "out of memory: the " + what.str() + " takes " + std::to_string(needed) + " bytes"};
  return std::nullopt;
}

Expected<Tensors> CompiledRunner::call(const lathe_function_info &function, const Tensors &inputs, Tensors earlier) {
  Expected<std::vector<int64_t>> bound = bindSizes(function, inputs, givenSizes);
  if (auto *failure = std::get_if<Failure>(&bound))
    return *failure;
  const std::vector<int64_t> &dims = std::get<0>(bound);
  Expected<Tensors> made = makeResults(function, extentsOf(function, dims), std::move(earlier));
  if (auto *failure = std::get_if<Failure>(&made))
    return *failure;
  Tensors &results = std::get<Tensors>(made);
  if (std::optional<Failure> failure = growWorkspaces(function, dims.data()))
    return *failure;
  std::vector<char> args(function.args_size);
  auto put = [&]<typename T>(uint32_t offset, const T &value) {
    if (offset != LATHE_ABSENT)
      std::memcpy(args.data() + offset, &value, sizeof(T));
  };
  for (uint32_t i = 0; i < function.dimension_count; ++i)
    put(function.dimensions[i].offset, dims[i]);
  size_t input = 0, result = 0;
  for (const lathe_argument_info &argument : llvm::ArrayRef(function.arguments, function.argument_count)) {
    const void *data = (argument.is_output ? results[result++] : inputs[input++]).getBytes().data();
    put(argument.offset, data);
  }
  lathe_error error = {};
  void *statePointer = state->memory, *workspacePointer = workspace ? workspace->memory : nullptr,
       *coldPointer = coldWorkspace ? coldWorkspace->memory : nullptr, *errorPointer = &error;
  put(function.state_offset, statePointer);
  put(function.weights_offset, weights->data);
  put(function.weights_size_offset, weights->size);
  put(function.workspace_offset, workspacePointer);
  put(function.workspace_size_offset, workspaceSize);
  put(function.cold_workspace_offset, coldPointer);
  put(function.cold_workspace_size_offset, coldWorkspaceSize);
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
  return made;
}

lathe::Sizes CompiledRunner::sizesFor(const Tensors &inputs) const {
  Expected<std::vector<int64_t>> bound = bindSizes(*entry, inputs, givenSizes);
  Sizes sizes;
  if (auto *dims = std::get_if<std::vector<int64_t>>(&bound))
    for (uint32_t i = 0; i < entry->dimension_count; ++i)
      sizes[entry->dimensions[i].name] = (*dims)[i];
  return sizes;
}

/// Copies inputs to device memory and allocates results there.
std::optional<Failure> CompiledRunner::placeArguments(const lathe_function_info &function, std::vector<char> &args,
                                                      const Tensors &inputs, const Tensors &results) {
  onDevice.clear();
  size_t input = 0, result = 0;
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const lathe_argument_info &argument = function.arguments[i];
    llvm::ArrayRef<char> bytes = argument.is_output ? results[result++].getBytes() : inputs[input++].getBytes();
    onDevice.push_back(std::make_unique<ContextMemory>(bytes.size(), context));
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

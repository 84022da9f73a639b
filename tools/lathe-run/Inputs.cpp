#include "tools/lathe-run/Inputs.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "lib/Import/Constants/ConstInputs.h"
#include "lib/Support/Text.h"
#include "tools/lathe-run/Npy.h"
#include <cerrno>

using namespace lathe;

static bool isRandom(const std::string &text) { return text == "random" || text.rfind("random:", 0) == 0; }

Tensor randomTensor(uint64_t seed, Element element, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(element, shape);
  visitAny(element, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
      uint32_t bits = threefry2x32({uint32_t(seed), uint32_t(seed >> 32)}, {uint32_t(i), uint32_t(i >> 32)}).first;
      if constexpr (std::is_floating_point_v<T> || isHalfOf<T>)
        tensor.data<T>()[i] = T(double(int32_t(bits) >> 8) / (1 << 23));
      else
        tensor.data<T>()[i] = std::is_same_v<T, bool> ? bits & 1 : bits % 10;
    }
    return true;
  });
  return tensor;
}

static Failure wrong(const std::string &name, const std::string &reason) {
  return Failure{kWrongUsage, "'" + name + "': " + reason};
}

/// Parses a number of the element's kind. Integers are exact, where a double would round them, and must fit their type.
template <typename T>
static std::optional<T> parseNumber(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  if constexpr (std::is_floating_point_v<T> || isHalfOf<T>) {
    double number = std::strtod(text.c_str(), &end);
    return *end || end == text.c_str() ? std::nullopt : std::optional(T(number));
  } else if constexpr (std::is_same_v<T, bool>) {
    bool isTrue = text == "true" || text == "1";
    return isTrue || text == "false" || text == "0" ? std::optional(isTrue) : std::nullopt;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    unsigned long long number = std::strtoull(text.c_str(), &end, 10);
    return *end || end == text.c_str() || errno || text.find('-') != text.npos ? std::nullopt : std::optional(T(number));
  } else {
    long long number = std::strtoll(text.c_str(), &end, 10);
    bool fits = number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
    return *end || end == text.c_str() || errno || !fits ? std::nullopt : std::optional(T(number));
  }
}

/// Returns a tensor with the number in `text` in every element; `others` lists the other accepted forms.
static Expected<Tensor> fill(const std::string &name, const std::string &text, Element element, llvm::ArrayRef<int64_t> shape,
                             const std::string &others) {
  if (!countElements(shape))
    return wrong(name, "too large");
  Tensor tensor(element, shape);
  bool good = visitAny(element, [&](auto zero) {
    std::optional<decltype(zero)> value = parseNumber<decltype(zero)>(text);
    if (value)
      std::fill_n(tensor.data<decltype(zero)>(), tensor.size(), *value);
    return value.has_value();
  });
  if (good)
    return tensor;
  std::string number = element >= Element::F16  ? "a number"
                       : element == Element::I1 ? "true, false, 1 or 0"
                                                : "an integer of " + nameOf(element).str();
  return wrong(name, "expected " + others + " or " + number + ", got '" + text + "'");
}

Expected<Tensor> makeValue(const std::string &name, const std::string &text, Element element, llvm::ArrayRef<int64_t> shape) {
  return text[0] == '@' ? readNpy(text.substr(1)) : fill(name, text, element, shape, "@FILE.npy");
}

/// Records the sizes that input files give to dimensions with plain names.
static void learnSizes(const Parameter &input, const Tensor &tensor, Sizes &sizes) {
  for (size_t d = 0; d < input.dims.size(); ++d) {
    llvm::SmallVector<std::string> names;
    input.dims[d].collectNames(names);
    if (names.size() == 1 && input.dims[d] == Dim::named(names[0]))
      sizes.emplace(names[0], tensor.getShape()[d]);
  }
}

/// True if a file's element type is accepted: the graph's own type if a check runs the graph in f64, and f32 for bf16, which
/// NumPy lacks.
static bool stands(Element file, Element input, bool isGradcheck) {
  return (file == Element::F32 && input == Element::BF16) || (isGradcheck && input == Element::F64 && file >= Element::F16);
}

static Expected<Tensor> makeInput(const Parameter &input, const std::string &text, size_t index, const Sizes &sizes) {
  std::vector<int64_t> shape;
  for (const Dim &dim : input.dims) {
    std::optional<int64_t> extent = evaluate(dim, sizes);
    if (!extent)
      return wrong(input.name, "dimension " + dim.str() + " has no size; set it with --dim, or read the input from a file");
    shape.push_back(*extent);
  }
  if (!countElements(shape))
    return wrong(input.name, "shape " + listText(shape) + " is too large or negative");
  if (!isRandom(text))
    return fill(input.name, text, input.element, shape, "@FILE.npy, random[:SEED]");
  uint64_t seed = index; // inputs without a seed of their own differ
  if (text.size() > 7) {
    char *end = nullptr;
    seed = std::strtoull(text.c_str() + 7, &end, 10);
    if (*end)
      return wrong(input.name, "expected random:SEED with a number, got '" + text + "'");
  }
  return randomTensor(seed, input.element, shape);
}

/// Returns the source of an input's value: a text of --input, "@" for one in `ready`, or "random"; empty if there is none.
static std::string sourceOf(llvm::StringRef name, const RunOptions &options, const std::map<std::string, Tensor> &ready) {
  auto given = options.inputs.find(name.str());
  return given != options.inputs.end() ? given->second : ready.count(name.str()) ? "@" : options.randomRest ? "random" : "";
}

static Expected<Tensor> makeFrom(const std::string &source, const Parameter &input, size_t index, const Sizes &sizes,
                                 const std::map<std::string, Tensor> &ready) {
  if (source.empty())
    return wrong(input.name, "no value; use --input " + input.name + "=..., or --random");
  return source == "@"      ? ready.at(input.name)
         : source[0] == '@' ? readNpy(source.substr(1))
                            : makeInput(input, source, index, sizes);
}

std::shared_ptr<ConstInputs> makeConstInputs(const RunOptions &options, std::map<std::string, Tensor> tensors) {
  auto constants = std::make_shared<ConstInputs>();
  if (options.constInputs == "auto")
    constants->isGiven = [options, tensors](llvm::StringRef name) { return !sourceOf(name, options, tensors).empty(); };
  else
    for (llvm::StringRef name : llvm::split(options.constInputs, ','))
      constants->names.insert(name.str());
  constants->valueOf = [options, tensors = std::move(tensors)](const ConstInputs::Input &input, Tensor &value) -> std::string {
    Sizes sizes(options.dims.begin(), options.dims.end());
    std::string source = sourceOf(input.name, options, tensors);
    Expected<Tensor> made = makeFrom(source, {input.name, input.element, input.dims, {}}, /*index=*/0, sizes, tensors);
    if (auto *failure = std::get_if<Failure>(&made))
      return failure->reason;
    value = std::get<Tensor>(std::move(made));
    return "";
  };
  return constants;
}

/// True if the input of this name has become a constant of the graph.
static bool isConstant(const std::string &name, const RunOptions &options) {
  return options.constants && options.constants->taken.count(name);
}

Expected<Tensors> makeInputs(const Signature &signature, const RunOptions &options,
                             const std::map<std::string, Tensor> &ready) {
  std::string names;
  for (const Parameter &input : signature.inputs)
    names += (names.empty() ? "" : ", ") + input.name;
  for (auto &[name, text] : options.inputs)
    if (!isConstant(name, options) &&
        llvm::none_of(signature.inputs, [&](const Parameter &input) { return input.name == name; }))
      return wrong(name, "@" + signature.function + " has no such input; it has " + (names.empty() ? "none" : names));
  Tensors tensors(signature.inputs.size());
  Sizes sizes(options.dims.begin(), options.dims.end());
  // Files first: the shapes of the others may depend on theirs.
  for (bool files : {true, false})
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Parameter &input = signature.inputs[i];
      std::string source = sourceOf(input.name, options, ready);
      if ((source[0] == '@') != files)
        continue;
      Expected<Tensor> tensor = makeFrom(source, input, i, sizes, ready);
      if (auto *failure = std::get_if<Failure>(&tensor))
        return *failure;
      tensors[i] = std::get<Tensor>(std::move(tensor));
      if (stands(tensors[i].getElement(), input.element, !options.gradcheck.empty()))
        tensors[i] = convert(tensors[i], input.element);
      if (std::string reason = mismatch("the file", tensors[i], input.element, input.dims); !reason.empty())
        return wrong(input.name, reason);
      learnSizes(input, tensors[i], sizes);
    }
  return tensors;
}

#include "tools/lathe-run/Npy.h"
#include "lathe/runtime.h"
#include <cstring>

using namespace lathe;

static constexpr std::pair<lathe_dtype, Element> kTypes[] = {{LATHE_F32, Element::F32},
                                                             {LATHE_F64, Element::F64},
                                                             {LATHE_I1, Element::I1},
                                                             {LATHE_I32, Element::I32},
                                                             {LATHE_I64, Element::I64}};

static std::string textOf(const lathe_error &error) {
  char text[512];
  lathe_error_format(&error, text, sizeof(text));
  return text;
}

Expected<Tensor> readNpy(const std::string &path) {
  lathe_array array;
  lathe_error error = {};
  if (lathe_npy_read(path.c_str(), &array, &error) != LATHE_OK)
    return Failure{kWrongUsage, textOf(error)};
  Expected<Tensor> result = Failure{kWrongUsage, path + ": elements of type " + lathe_dtype_name(array.dtype) +
                                                     "; expected f32, f64, i1 (bool), i32 or i64"};
  llvm::ArrayRef<int64_t> shape(array.extents, array.rank);
  for (auto [dtype, element] : kTypes)
    if (dtype == array.dtype && countElements(shape)) {
      Tensor tensor(element, shape);
      if (array.size)
        std::memcpy(tensor.data<char>(), array.data, array.size);
      result = std::move(tensor);
    }
  lathe_array_release(&array);
  return result;
}

std::string writeNpy(const std::string &path, const Tensor &tensor) {
  lathe_array array = {};
  if (tensor.getRank() > int64_t(std::size(array.extents)))
    return path + ": a .npy file holds at most 8 dimensions, the result has " + std::to_string(tensor.getRank());
  for (auto [dtype, element] : kTypes)
    if (element == tensor.getElement())
      array.dtype = dtype;
  array.rank = tensor.getRank();
  std::copy(tensor.getShape().begin(), tensor.getShape().end(), array.extents);
  array.data = const_cast<char *>(tensor.data<char>());
  array.size = tensor.getBytes().size();
  lathe_error error = {};
  return lathe_npy_write(path.c_str(), &array, &error) == LATHE_OK ? "" : textOf(error);
}

#include "tools/lathe-run/Npy.h"
#include "lathe/runtime.h"
#include <cstring>

using namespace lathe;

std::string textOf(const lathe_error &error) {
  char buffer[512];
  lathe_error_format(&error, buffer, sizeof(buffer));
  std::string text = buffer;
  size_t place = error.file ? std::strlen(error.file) : 0;
  for (const std::string &part : {std::string("error"), std::string(error.function ? error.function : "error")})
    if (size_t found = text.find(part + ": ", place); found != text.npos)
      text.erase(found, part.size() + 2);
  return text;
}

Expected<Tensor> readNpy(const std::string &path) {
  lathe_array array;
  lathe_error error = {};
  if (lathe_npy_read(path.c_str(), &array, &error) != LATHE_OK)
    return Failure{kWrongUsage, textOf(error)};
  Expected<Tensor> result = Failure{kWrongUsage, path + ": too many elements for memory"};
  if (llvm::ArrayRef<int64_t> shape(array.extents, array.rank); countElements(shape)) {
    Tensor tensor(Element(array.dtype), shape); // same numbers as lathe_dtype
    if (array.size)
      std::memcpy(tensor.data<char>(), array.data, array.size);
    result = std::move(tensor);
  }
  lathe_array_release(&array);
  return result;
}

std::string writeNpy(const std::string &path, const Tensor &tensor) {
  if (tensor.getElement() == Element::BF16) // NumPy has no bf16
    return writeNpy(path, convert(tensor, Element::F32));
  lathe_array array = {};
  if (tensor.getRank() > int64_t(std::size(array.extents)))
    return path + ": a .npy file holds at most 8 dimensions, the result has " + std::to_string(tensor.getRank());
  array.dtype = lathe_dtype(tensor.getElement());
  array.rank = tensor.getRank();
  std::copy(tensor.getShape().begin(), tensor.getShape().end(), array.extents);
  array.data = const_cast<char *>(tensor.data<char>());
  array.size = tensor.getBytes().size();
  lathe_error error = {};
  return lathe_npy_write(path.c_str(), &array, &error) == LATHE_OK ? "" : textOf(error);
}

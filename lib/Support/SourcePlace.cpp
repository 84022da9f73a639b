#include "lib/Support/SourcePlace.h"
#include "llvm/Support/Path.h"

using namespace mlir;

lathe::SourcePlace lathe::sourcePlace(Location location) {
  SourcePlace place;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      StringRef name = file.getFilename();
      if (!name.ends_with(".onnx"))
        name = "";
      place = {int(file.getLine()), int(file.getColumn()), llvm::sys::path::filename(name).str()};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

#include "lib/Support/SourcePlace.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Path.h"

using namespace mlir;

Location lathe::optionPlace(StringRef option, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), option), location);
}

bool lathe::isOptionPlace(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named && named.getName().getValue().starts_with("--");
}

lathe::SourcePlace lathe::sourcePlace(Location location) {
  SourcePlace place;
  StringRef name;
  location->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner))
      name = named.getName();
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      place = {int(file.getLine()), int(file.getColumn()), {}, {}};
      if (StringRef path = file.getFilename(); path.ends_with(".onnx")) {
        place.file = llvm::sys::path::filename(path).str();
        place.node = name.str();
      }
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

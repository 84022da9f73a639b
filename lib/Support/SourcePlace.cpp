#include "lib/Support/SourcePlace.h"
#include "lib/Support/LinkedPlace.h"
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

/// Metadata of the locations of linked programs.
static constexpr llvm::StringLiteral kLinked = "lathe.linked";

Location lathe::linkedPlace(Location location) {
  return FusedLoc::get(location.getContext(), {location}, StringAttr::get(location.getContext(), kLinked));
}

lathe::SourcePlace lathe::sourcePlace(Location location) {
  SourcePlace place;
  bool isLinked = false;
  StringRef name;
  location->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
      if (auto mark = dyn_cast_or_null<StringAttr>(fused.getMetadata()))
        isLinked |= mark.getValue() == kLinked;
    if (auto named = dyn_cast<NameLoc>(inner))
      name = named.getName();
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      place = {int(file.getLine()), int(file.getColumn()), {}, {}};
      StringRef path = file.getFilename();
      bool isModel = path.ends_with(".onnx");
      if (isModel || isLinked)
        place.file = llvm::sys::path::filename(path).str();
      if (isModel)
        place.node = name.str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

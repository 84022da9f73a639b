#include "lib/Support/SourcePlace.h"

using namespace mlir;

lathe::SourcePlace lathe::sourcePlace(Location location) {
  SourcePlace place;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      place = {int(file.getLine()), int(file.getColumn())};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace lathe;
using namespace lathe::hloimport;

const Converters &hloimport::converters() {
  static const Converters all = [] {
    Converters table;
    for (auto add :
         {addElementwise, addBits,     addShape,    addDynamicShape, addContractions,  addConvolutions,   addReductions,
          addWindows,     addIndexing, addScatters, addSorts,        addLinearAlgebra, addNormalizations, addRandom,
          addControl,     addCalls,    addChlo,     addSpecial,      addShardings,     addCollectives})
      add(table);
    return table;
  }();
  return all;
}

#include "codegen/CPU/PanelChooser.h"
#include "codegen/CPU/ByteProducts/ByteProducts.h"
#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Contraction/Weights.h"
#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Convolution/Filter.h"
#include "codegen/CPU/Forms.h"
#include "codegen/CPU/PairProducts/AmxProducts.h"
#include "codegen/CPU/PairProducts/PairProducts.h"
#include "codegen/CPU/Target.h"
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Schedules/KernelStructure.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

FailureOr<PanelChooser> PanelChooser::of(Operation *op, ArrayRef<VectorTarget> targets, StringRef option) {
  if (!targets.empty())
    return PanelChooser(targets);
  std::string error;
  std::vector<VectorTarget> named = parseTargets(option, error);
  if (named.empty())
    return op->emitError(error), failure();
  return PanelChooser(named);
}

FailureOr<std::optional<PanelChoice>> PanelChooser::choose(KernelOp kernel) {
  std::optional<PanelChoice> none;
  Block &body = kernel.getBody().front();
  if (body.getOps<DotGeneralOp>().empty() && body.getOps<ConvOp>().empty())
    return none;
  auto [entry, isNew] = known.try_emplace(structureOf(kernel, MachineKind::CPU));
  if (!isNew)
    return entry->second;
  OwningOpRef<KernelOp> marked(kernel.clone()); // a form that reads row-major matrices may be better only for these
  marked.get()->setAttr(kPanelsAttr,
                        DenseI64ArrayAttr::get(kernel.getContext(), SmallVector<int64_t>(kernel.getNumOperands(), 0)));
  bool isProduct = true, isConvolution = true, isOfBytes = true, isOfPairs = true;
  for (const VectorTarget &target : targets) {
    FailureOr<ScheduleAttr> schedule = forms().choose(*marked, target);
    if (failed(schedule))
      return failure();
    isProduct &= schedule->getForm() == contractionForm().name;
    isConvolution &= isDirectConvolution(schedule->getForm());
    isOfBytes &= schedule->getForm() == byteProductForm().name;
    isOfPairs &= schedule->getForm() == pairProductForm().name || schedule->getForm() == amxProductForm().name;
  }
  if (isOfPairs)
    return entry->second = choosePairPanels(kernel);
  if (isOfBytes)
    return entry->second = chooseBytePanels(kernel);
  if (!isProduct && !isConvolution)
    return none;
  OwningOpRef<KernelOp> nests(kernel.clone());
  if (failed(lowerToNests(*nests, [](Operation *op) { return isa<DotGeneralOp, ConvOp>(op); })))
    return failure();
  return entry->second = isProduct ? choosePanels(*nests, targets) : chooseFilterPanels(*nests, targets);
}

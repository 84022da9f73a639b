// Row programs of the CPU's emitter on a GPU: what one thread of the CPU would do for one piece of the work, one of the GPU
// does.
#include "codegen/CPU/KernelEmitter.h"
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/ThreadFrame.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

FailureOr<KernelCode> lathe::gpu::emitPieces(KernelOp kernel, const FunctionPlace &place) {
  constexpr unsigned kThreads = 32; // few pieces spread over more multiprocessors
  VectorTarget thread = place.target.thread();
  std::string inner = (place.name + "_piece").str();
  FailureOr<cpu::KernelCode> piece = cpu::emitKernel(kernel, place.module, inner, thread);
  if (failed(piece))
    return failure();
  piece->function.setAlwaysInline(true); // else the words of the parameter would be copied to memory for it
  OpBuilder b(kernel.getContext());
  KernelCode code;
  code.symbols = piece->symbols;
  code.words = wordsOf(kernel, code.symbols);
  code.threads = kThreads;
  code.extent = piece->extent;
  code.unit = piece->unit * kThreads;
  code.form = "a thread for each piece of a row program";
  code.function = makeFunction(kernel, place.module, place.name, code.words, kThreads);
  ThreadFrame frame(kernel, code.symbols, code.function, kThreads, thread, b);
  Value number = frame.globalThread(), count = frame.divideUp(frame.eval.extent(piece->extent), piece->unit);
  frame.when(frame.isBelow(number, count), [&] {
    Value next = frame.eval.add(number, frame.eval.i64(1));
    LLVM::CallOp::create(b, frame.loc, piece->function,
                         ValueRange{code.function.getArgument(0), frame.eval.i64(0), number, next});
  });
  frame.close();
  return code;
}

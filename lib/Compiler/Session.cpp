#include "lib/Compiler/Session.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

namespace {
/// A string stream that can report support for colours.
class TextStream : public llvm::raw_string_ostream {
public:
  TextStream(std::string &text, bool colors) : raw_string_ostream(text), colors(colors) { enable_colors(colors); }
  bool has_colors() const override { return colors; }

private:
  bool colors;
};

/// Prints "FILE:LINE:COL: remark: [stage] ..." lines in the format of errors, but without the source line: there are many.
class RemarkLines : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkLines(const std::string &path, std::string &text) : path(path), text(text) {}

  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) final {
    SourcePlace place = sourcePlace(remark.getLocation());
    const std::string &file = place.file.empty() ? path : place.file;
    text += place.line ? fmt::format("{}:{}:{}", file, place.line, place.column) : path;
    text += fmt::format(": remark: [{}] ", remark.getCategoryName().str());
    if (!place.node.empty())
      text += fmt::format("'{}': ", place.node);
    for (const auto &argument : remark.getArgs())
      text += argument.val;
    text += "\n";
  }

private:
  std::string path;
  std::string &text;
};
} // namespace

void Session::explainTo(std::string &text) {
  mlir::remark::RemarkCategories all;
  all.passed = all.missed = ".*";
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<RemarkLines>(path, text),
                                                std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), all);
}

Session::Session(const std::string &path, bool colors)
    : context(MLIRContext::Threading::DISABLED), path(path), stream(std::make_unique<TextStream>(text, colors)), out(*stream) {
  context.loadDialect<LatheDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                      vector::VectorDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, cf::ControlFlowDialect, ub::UBDialect>();
  context.printOpOnDiagnostic(false); // the graph's own line is shown instead
  handler = std::make_unique<GraphDiagnostics>(*sources, &context, out);
}

llvm::StringRef Session::graphText() const {
  if (sources->getNumBuffers() == 0 || StringRef(path).ends_with(".onnx"))
    return "";
  const llvm::MemoryBuffer *buffer = sources->getMemoryBuffer(sources->getMainFileID());
  return isBytecode(buffer->getMemBufferRef()) ? "" : buffer->getBuffer();
}

CompileStatus Session::usage(const std::string &message) {
  out << "lathec: error: " << message << "\n";
  return CompileStatus::WrongUsage;
}

CompileStatus Session::internalError(const std::string &message) {
  out << "lathec: internal error: " << message << "\n";
  return CompileStatus::InternalError;
}

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

/// Adds remarks to a list.
class RemarkList : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkList(const std::string &path, std::vector<CompileRemark> &list) : path(path), list(list) {}

  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) final {
    SourcePlace place = sourcePlace(remark.getLocation());
    std::string text;
    for (const auto &argument : remark.getArgs())
      text += argument.val;
    bool isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
    list.push_back({place.file.empty() || !place.line ? path : place.file, int(place.line), int(place.column), place.node,
                    remark.getCategoryName().str(), isMissed, text});
  }

private:
  std::string path;
  std::vector<CompileRemark> &list;
};
} // namespace

// Like an error, but without the source line: there are many.
std::string CompileRemark::str() const {
  std::string place = line ? fmt::format("{}:{}:{}", file, line, column) : file;
  return fmt::format("{}: remark: [{}] {}{}", place, stage, node.empty() ? "" : fmt::format("'{}': ", node), text);
}

void Session::explainTo(std::vector<CompileRemark> &remarks) {
  mlir::remark::RemarkCategories all;
  all.passed = all.missed = ".*";
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<RemarkList>(path, remarks),
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

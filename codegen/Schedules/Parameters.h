// The parameters of a schedule as a struct. Each form of code has one, whose member `visit` names its fields.
#ifndef LATHE_CODEGEN_SCHEDULES_PARAMETERS_H
#define LATHE_CODEGEN_SCHEDULES_PARAMETERS_H

#include "dialects/Lathe/IR/Schedules.h"

namespace lathe {

/// Writes the fields of a struct as parameters.
class ParameterWriter {
public:
  explicit ParameterWriter(mlir::MLIRContext *context) : builder(context) {}

  void integer(llvm::StringRef name, int64_t value) { attributes.append(name, builder.getI64IntegerAttr(value)); }
  template <typename Int>
  void operator()(llvm::StringRef name, Int &value, int64_t /*least*/, int64_t /*most*/) {
    integer(name, value);
  }
  void operator()(llvm::StringRef name, bool &value) { attributes.append(name, builder.getBoolAttr(value)); }
  void operator()(llvm::StringRef name, llvm::SmallVector<int64_t> &values, int64_t /*least*/, int64_t /*most*/) {
    attributes.append(name, builder.getDenseI64ArrayAttr(values));
  }
  template <typename Enum>
  void operator()(llvm::StringRef name, Enum &value, llvm::ArrayRef<llvm::StringLiteral> words) {
    attributes.append(name, builder.getStringAttr(words[size_t(value)]));
  }
  mlir::DictionaryAttr take() { return attributes.getDictionary(builder.getContext()); }

private:
  mlir::Builder builder;
  mlir::NamedAttrList attributes;
};

/// Reads the fields of a struct from parameters. Emits a diagnostic for each that is missing, of another type, or out of range.
class ParameterReader {
public:
  ParameterReader(mlir::Location place, ScheduleAttr schedule) : place(place), schedule(schedule) {}

  template <typename Int>
  void operator()(llvm::StringRef name, Int &value, int64_t least, int64_t most) {
    value = integer(name, least, most);
  }
  void operator()(llvm::StringRef name, bool &value);
  void operator()(llvm::StringRef name, llvm::SmallVector<int64_t> &values, int64_t least, int64_t most);
  template <typename Enum>
  void operator()(llvm::StringRef name, Enum &value, llvm::ArrayRef<llvm::StringLiteral> words) {
    value = Enum(word(name, words));
  }
  /// Refuses parameters that were not read. Succeeds if there were no diagnostics.
  mlir::LogicalResult finish();

private:
  mlir::Attribute take(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t least, int64_t most);
  size_t word(llvm::StringRef name, llvm::ArrayRef<llvm::StringLiteral> words);
  void refuse(llvm::StringRef name, const llvm::Twine &expected);

  mlir::Location place;
  ScheduleAttr schedule;
  llvm::SmallVector<std::string> known;
  bool isRight = true;
};

template <typename Parameters>
mlir::DictionaryAttr writeParameters(mlir::MLIRContext *context, Parameters parameters) {
  ParameterWriter writer(context);
  parameters.visit(writer);
  return writer.take();
}

/// Reads a schedule's parameters; failure with diagnostics at `place`.
template <typename Parameters>
mlir::FailureOr<Parameters> readParameters(mlir::Location place, ScheduleAttr schedule) {
  ParameterReader reader(place, schedule);
  Parameters parameters;
  parameters.visit(reader);
  if (failed(reader.finish()))
    return mlir::failure();
  return parameters;
}

/// Refuses, with a diagnostic at `place`, parameters that differ from the expected ones although the order of a sum depends on
/// them. With `names`, only these parameters count.
mlir::LogicalResult keepsSumOrder(mlir::Location place, mlir::DictionaryAttr given, mlir::DictionaryAttr expected,
                                  llvm::ArrayRef<llvm::StringRef> names = {});

} // namespace lathe

#endif

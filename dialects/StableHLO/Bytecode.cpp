// Reads the dialects' attributes and types from bytecode, by the codes that StableHLO assigns.
#include "dialects/StableHLO/Dialects.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace lathe;

namespace {
struct Version : DialectVersion {};

/// The words of an enumeration, by number.
using Words = ArrayRef<StringRef>;

/// The names of the fields of dimension numbers, in their order. A name that ends in a star is a single integer.
using Fields = ArrayRef<StringRef>;

Attribute readWord(DialectBytecodeReader &reader, MLIRContext *context, Words words) {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return {};
  if (number >= words.size())
    return reader.emitError() << "an enumerator has the number " << number << ", expected less than " << words.size(),
           Attribute();
  return StringAttr::get(context, words[number]);
}

Attribute readNumbers(DialectBytecodeReader &reader, MLIRContext *context, Fields fields) {
  NamedAttrList read;
  for (StringRef name : fields) {
    bool isSingle = name.consume_back("*");
    SmallVector<int64_t> numbers(isSingle ? 1 : 0);
    if (failed(isSingle ? reader.readSignedVarInt(numbers[0]) : reader.readSignedVarInts(numbers)))
      return {};
    read.append(name, DenseI64ArrayAttr::get(context, numbers));
  }
  return read.getDictionary(context);
}

/// Reads an algorithm of products, or the accuracy of a function, which import ignores.
Attribute readAlgorithm(DialectBytecodeReader &reader, MLIRContext *context) {
  Type type;
  int64_t number;
  bool flag;
  for (int i = 0; i < 3; ++i)
    if (failed(reader.readType(type)))
      return {};
  for (int i = 0; i < 3; ++i)
    if (failed(reader.readSignedVarInt(number)))
      return {};
  return failed(reader.readBool(flag)) ? Attribute() : UnitAttr::get(context);
}

Attribute readAccuracy(DialectBytecodeReader &reader, MLIRContext *context) {
  int64_t ulps;
  Attribute mode;
  for (int i = 0; i < 2; ++i)
    if (failed(reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble())))
      return {};
  return failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode)) ? Attribute() : UnitAttr::get(context);
}

const StringRef kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
const StringRef kComparisons[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
const StringRef kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};

struct StableHloBytecode : BytecodeDialectInterface {
  explicit StableHloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    MLIRContext *context = getContext();
    auto word = [&](Words words) { return readWord(reader, context, words); };
    auto numbers = [&](Fields fields) { return readNumbers(reader, context, fields); };
    switch (code) {
    case 1:
      return numbers({"handle*", "type*"});
    case 2:
      return word(kDirections);
    case 3:
      return word(kComparisons);
    case 4:
      return numbers({"input_batch_dimension*", "input_feature_dimension*", "input_spatial_dimensions",
                      "kernel_input_feature_dimension*", "kernel_output_feature_dimension*", "kernel_spatial_dimensions",
                      "output_batch_dimension*", "output_feature_dimension*", "output_spatial_dimensions"});
    case 5:
      return numbers(
          {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions"});
    case 6:
      return word({"FFT", "IFFT", "RFFT", "IRFFT"});
    case 7:
      return numbers({"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
                      "start_index_map", "index_vector_dim*"});
    case 8:
      return word(kPrecisions);
    case 9:
      return word({"DEFAULT", "THREE_FRY", "PHILOX"});
    case 10:
      return word({"", "UNIFORM", "NORMAL"});
    case 11:
      return numbers({"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
                      "scatter_dims_to_operand_dims", "index_vector_dim*"});
    case 12:
      return word({"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
    case 13:
      return numbers({"bounds"});
    case 14:
      return numbers({"output_tuple_indices", "operand_index*", "operand_tuple_indices"});
    case 15:
      return readAlgorithm(reader, context);
    case 16:
      return word({"DEFAULT", "HIGHEST", "TOLERANCE"});
    case 17:
      return readAccuracy(reader, context);
    default:
      return reader.emitError() << "StableHLO attribute " << code << " is not supported; pass the program as text", Attribute();
    }
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == 0) // a token
      return NoneType::get(getContext());
    return reader.emitError() << "StableHLO type " << code << " is not supported", Type();
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    for (int i = 0; i < 3; ++i)
      if (uint64_t number; failed(reader.readVarInt(number)))
        return nullptr;
    return std::make_unique<Version>();
  }
};

struct ChloBytecode : BytecodeDialectInterface {
  explicit ChloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case 0:
      return readWord(reader, getContext(), kDirections);
    case 1:
      return readWord(reader, getContext(), kComparisons);
    default:
      return reader.emitError() << "CHLO attribute " << code << " is not supported; pass the program as text", Attribute();
    }
  }
};
} // namespace

void lathe::addBytecodeInterface(stablehlo::StableHLODialect &dialect) { dialect.addInterface<StableHloBytecode>(); }
void lathe::addBytecodeInterface(chlo::ChloDialect &dialect) { dialect.addInterface<ChloBytecode>(); }

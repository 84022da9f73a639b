// The dialect, and the classes that its op families share.
#ifndef LATHE_DIALECT_TD
#define LATHE_DIALECT_TD

include "dialects/Lathe/IR/LatheInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lathe_Dialect : Dialect {
  let name = "lathe";
  let cppNamespace = "::lathe";
  let summary = "Static graphs of tensor values, their derivatives and their state.";
  let description = [{
    Programs are `func.func`s over ranked tensors. Every op is a value; state is named by `lathe.variable` and disappears into
    arguments and results before any other pass runs. Result types are inferred: an op's text gives the types of its operands.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let extraClassDeclaration = [{
    /// For `lathe.std.NAME`.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
    /// The expansions of composites that this context has already made.
    std::unique_ptr<::lathe::composites::Expansions> expansions;
  }];
}

// Signless integers are the signed ones; inside a nest all integers are signless.
def Lathe_Float : AnyTypeOf<[F64, F32, F16, BF16], "f64, f32, f16 or bf16">;
def Lathe_Signed : AnyTypeOf<[I8, I16, I32, I64], "i8, i16, i32 or i64">;
def Lathe_Unsigned : AnyTypeOf<[UI8, UI16, UI32, UI64], "ui8, ui16, ui32 or ui64">;
def Lathe_Integer : AnyTypeOf<[Lathe_Signed, Lathe_Unsigned], "i8 to i64 or ui8 to ui64">;

def Lathe_Tensor : RankedTensorOf<[Lathe_Float, Lathe_Integer, I1]>;
def Lathe_NumberTensor : RankedTensorOf<[Lathe_Float, Lathe_Integer]>;
def Lathe_FloatTensor : RankedTensorOf<[Lathe_Float]>;
def Lathe_WideFloatTensor : RankedTensorOf<[F64, F32]>;
def Lathe_IntTensor : RankedTensorOf<[Lathe_Integer, I1]>;
def Lathe_IntegerTensor : RankedTensorOf<[Lathe_Integer]>;
def Lathe_IndexTensor : RankedTensorOf<[I32, I64]>;
def Lathe_IndexScalar : 0DTensorOf<[I32, I64]>;
def Lathe_BoolTensor : RankedTensorOf<[I1]>;
def Lathe_Scalar64 : 0DTensorOf<[I64]>, BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

class Lathe_Op<string mnemonic, list<Trait> traits = []> : Op<Lathe_Dialect, mnemonic, traits>;

// MLIR's InferTypeOpAdaptor for ops on tensors: types of operands are checked before the op's own inference sees them, as a text
// may have any type that MLIR can parse there.
class Lathe_InferTypesBase<code additionalDecls = [{}]> : TraitList<[
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    NativeOpTrait<"InferTypeOpAdaptor", [],
      /*extraOpDeclaration=*/[{
        static ::mlir::LogicalResult inferReturnTypes(::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types);
      }] # additionalDecls,
      /*extraOpDefinition=*/[{
        ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
                                                          ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
                                                          ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
                                                          ::llvm::SmallVectorImpl<::mlir::Type> &types) {
          if (::mlir::failed(::lathe::checkOperandTypes(location, getOperationName(), operands)))
            return ::mlir::failure();
          return $cppClass::inferReturnTypes(context, location, Adaptor(operands, attributes, properties, regions), types);
        }
      }]>
  ]>;
def Lathe_InferTypes : Lathe_InferTypesBase;
def Lathe_InferTypesWithIsCompatible : Lathe_InferTypesBase<[{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given);
  }]>;

// An op whose result types follow from operands and attributes. All of its constraints are checked in inferReturnTypes, so that
// they hold for parsed, built and rewritten ops alike.
class Lathe_ValueOp<string mnemonic, list<Trait> traits = []>
    : Lathe_Op<mnemonic, !listconcat([Pure, Lathe_InferTypes], traits)>;

// An op that brings names of dimensions into its result. Its text says them in the result's type (`-> tensor<?xi32,
// #lathe.dims<N>>`) or leaves them out: then the type has a plain `?`, as the types of a user's text, until import infers it.
class Lathe_NamingOp<string mnemonic, list<Trait> traits = []>
    : Lathe_Op<mnemonic, !listconcat([Pure, Lathe_InferTypesWithIsCompatible], traits)> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::lathe::equalButForNames(inferred, given);
    }
  }];
}

#endif

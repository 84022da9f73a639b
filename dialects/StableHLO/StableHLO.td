// The dialects `stablehlo` and `chlo`, as far as an importer needs them: names, operands, attributes and syntax of the ops.
// They have no inference and few checks: lib/Import/StableHLO turns each op into ops of Lathe, whose inference checks the types.
#ifndef STABLEHLO_TD
#define STABLEHLO_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::lathe::stablehlo";
  let summary = "StableHLO programs, which import replaces by Lathe's ops";
  let description = [{
    The dialect's attributes are parsed into MLIR's own: an enumerator is a string, and dimension numbers such as
    `#stablehlo.gather<offset_dims = [1]>` are a dictionary of lists of integers (Attributes.cpp).
  }];
  let hasConstantMaterializer = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::lathe::chlo";
  let summary = "Ops beside StableHLO that its producers use: elementary functions, top_k, ops that broadcast";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

class StableHLO_Op<string mnemonic, list<Trait> traits = []> : Op<StableHLO_Dialect, mnemonic, traits>;
class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

// Names for what dialect attributes become.
defvar Word = StrAttr;
defvar Numbers = DictionaryAttr;
defvar List = DenseI64ArrayAttr;

#endif

// Traits and op interfaces: what passes and code generation ask about an op, whichever op it is. Each op answers in its own
// definition, so that a new op needs no line in the code that asks.
#ifndef LATHE_INTERFACES_TD
#define LATHE_INTERFACES_TD

include "mlir/IR/OpBase.td"

class Lathe_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::lathe"; }

// ---- Traits

// Places elements and computes nothing with them.
def Lathe_MovesElementsTrait : Lathe_Trait<"MovesElementsTrait">;

// The main op of a kernel. It computes each result from many elements, so that fusing it into a reader would compute results
// several times. A kernel has one hero, with a prologue before it and an epilogue behind it; row kernels have several.
def Lathe_Hero : Lathe_Trait<"HeroTrait">;

// Reads each element of its operands at most once. Fusing what makes an operand into the op's loops recomputes nothing.
def Lathe_ReadsOnce : Lathe_Trait<"ReadsOnceTrait">;

// A kernel of its own, a hero that is fused with nothing: its code takes whole operands from memory.
def Lathe_OwnKernelTrait : Lathe_Trait<"OwnKernelTrait">;
def Lathe_OwnKernel : TraitList<[Lathe_Hero, Lathe_OwnKernelTrait]>;

// The result is operand 0 with parts of it replaced. It may have that operand's memory; then only these parts are written.
def Lathe_ReplacesParts : Lathe_Trait<"ReplacesPartsTrait">;

// ---- Interfaces

def Lathe_ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let description = [{
    Combines the elements of operand 0 along some dimensions into one, and reads each of them exactly once. Several reductions
    of the same dimensions can share a row kernel.
  }];
  let cppNamespace = "::lathe";
  let methods = [
    InterfaceMethod<"Returns the dimensions of operand 0 that the result lacks, ascending.",
                    "::llvm::SmallVector<int64_t>", "getReducedDims">,
  ];
}

def Lathe_ConvolutionOpInterface : OpInterface<"ConvolutionOpInterface"> {
  let description = [{
    A convolution, or its transpose in the input or the filter: sums of products of two operands, of which one slides.
  }];
  let cppNamespace = "::lathe";
  let methods = [
    InterfaceMethod<"Returns strides, dilations, padding and groups of the convolution that the op belongs to.",
                    "::lathe::ConvolutionGeometry", "getGeometry">,
  ];
}

def Lathe_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let description = [{
    Exchanges values with the other ranks along an axis, or asks for this rank's place there.
  }];
  let cppNamespace = "::lathe";
  let methods = [
    InterfaceMethod<"Returns the name of the axis.", "::llvm::StringRef", "getAxis">,
    InterfaceMethod<"Returns the number of ranks along the axis, as a shape of one dimension.", "::lathe::ShapeAttr", "getSize">,
  ];
  let extraSharedClassDeclaration = [{
    /// The number of ranks along the axis.
    ::lathe::Dim getAxisSize() { return ::lathe::dimsOf($_op.getSize()).front(); }
  }];
}

def Lathe_FunctionTransformOpInterface : OpInterface<"FunctionTransformOpInterface"> {
  let description = [{
    Calls a transformed function: a derivative of its callee, or the callee for each element of a batch.
  }];
  let cppNamespace = "::lathe";
  let methods = [
    InterfaceMethod<"Returns the name of the function that is transformed.", "::mlir::FlatSymbolRefAttr", "getCalleeAttr">,
    InterfaceMethod<"Returns the operands that stand for the callee's arguments, in order.",
                    "::mlir::OperandRange", "getInputs">,
  ];
}

def Lathe_ControlOpInterface : OpInterface<"ControlOpInterface"> {
  let description = [{
    A branch, a loop or a checkpoint: an op that runs closed regions of one block.

    Its operands come in groups: some that no region sees, `consts`, carries, and what a scan reads in slices. The block
    arguments of each region are the consts, the carries and the slices. A region that ends in lathe.yield yields the next
    carries, then the other results, or a scan's slices of them; one that ends in lathe.condition yields nothing. The results
    are the carries after the last step, then the others.
  }];
  let cppNamespace = "::lathe";
  let methods = [
    InterfaceMethod<"Returns the outer values that the regions use.", "::mlir::OperandRange", "getConsts">,
    InterfaceMethod<"Returns the same operands, to change them.", "::mlir::MutableOperandRange", "getConstsMutable">,
    InterfaceMethod<"Returns how many operands come before the consts: a branch's predicate, a scan's length.",
                    "unsigned", "getNumLeadingOperands", (ins), "", "return 0;">,
    InterfaceMethod<"Returns the values that a loop's carries begin with; none of an op that is not a loop.",
                    "::mlir::OperandRange", "getCarry", (ins), "", "return $_op->getOperands().take_front(0);">,
    InterfaceMethod<"Returns true for a loop, whose regions may run more than once, or never.",
                    "bool", "isLoop", (ins), "", "return false;">,
  ];
  let extraSharedClassDeclaration = [{
    /// The block of a loop's body; of another op, that of its last region.
    ::mlir::Block &getBodyBlock() { return $_op->getRegions().back().front(); }
    /// A loop's carries as its body sees them.
    ::mlir::Block::BlockArgListType getCarryArguments() {
      return getBodyBlock().getArguments().slice($_op.getConsts().size(), $_op.getCarry().size());
    }
  }];
}

#endif

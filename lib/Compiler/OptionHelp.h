// Help texts of the options that lathec and lathe-run share.
#ifndef LATHE_COMPILER_OPTIONHELP_H
#define LATHE_COMPILER_OPTIONHELP_H

namespace lathe {

inline constexpr const char *kGraphHelp = "The graph: .mlir, .mlirbc, .onnx, or - for text on standard input";
inline constexpr const char *kDimHelp =
    "Fix a named dimension, express it by another one, or let one of a model be 1 or another: N=4, H=32*h, m=1,n; may be repeated";
inline constexpr const char *kMaxStepsHelp =
    "Upper bound on the steps of a Loop of an ONNX model that stacks values or carries growing ones and ends on data: N for all "
    "loops, or OUTPUT=N for one; may be repeated";
inline constexpr const char *kSpecializeHelp =
    "Add specialised versions for sizes of a named dimension: N=1,8,32; may be repeated";
inline constexpr const char *kStateHelp =
    "initializers[:PATTERN]: turn float initializers that match PATTERN into trainable variables (* and ? "
    "stand for any letters); may be repeated";
inline constexpr const char *kMathHelp =
    "strict (default), or fast: on a GPU, f32 products round their factors to tf32, and division, exp, logistic, tanh, erf "
    "and erfc have errors of a few units in the last place";

inline constexpr const char *kScheduleHelp =
    "Read schedules of kernels from this file, in place of the chosen ones. Each line is NAME #lathe.schedule<...>, as "
    "--explain and --emit-stage=schedule print them and lathe-run --tune writes them";

} // namespace lathe

#endif

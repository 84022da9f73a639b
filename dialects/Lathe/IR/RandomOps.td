// Random numbers of a distribution.
//
// Import writes these ops out as lathe.random_bits and exactly rounded arithmetic, so a stream has the same bits in the interpreter,
// in compiled code at every level, and however it is cut or batched. Each takes its bits from stream `stream` of the seed, by the
// element's place in row-major order: two ops that share seed and stream share their bits. In a batch one seed for all gives all
// the same numbers, and each seed of a batch gets what it would get by itself. New seeds come from lathe.random_bits with i64 elements ("split")
// and from lathe.random_fold_in. No derivative goes into these numbers; through a location and a scale that are applied to them it
// goes as through any arithmetic.
#ifndef LATHE_RANDOM_OPS_TD
#define LATHE_RANDOM_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

class Lathe_RandomOp<string mnemonic, Type resultType, dag parameters = (ins)> : Lathe_NamingOp<mnemonic> {
  let arguments = !con((ins Lathe_Scalar64:$seed, I64Attr:$stream), parameters, (ins Lathe_ShapeAttr:$shape, TypeAttr:$element));
  let results = (outs resultType:$result);
}

def Lathe_RandomUniformOp : Lathe_RandomOp<"random_uniform", Lathe_FloatTensor> {
  let summary = "Uniform numbers in [0, 1)";
  let description = [{
    k / 2^b, k the upper b bits of the place's random_bits: of i64 and b = 53 for f64, of i32 and b = 24, 11 and 8 for f32, f16
    and bf16. `lathe.random_uniform %seed stream 3 to [4, 16] : f32`.

    Constraints: (C1) the element type is a float; (C2) stream fits 32 bits.
  }];
}

def Lathe_RandomNormalOp : Lathe_RandomOp<"random_normal", Lathe_FloatTensor> {
  let summary = "Normal numbers of mean 0 and variance 1";
  let description = [{
    sqrt(2) erf_inv(u), u = (2 k + 1) / 2^b - 1 with k as in random_uniform: never infinite, the largest 5.4 for f32 and 8.2 for f64.
    erf_inv is a polynomial in additions and multiplications, each rounded, within 16 ULP of lathe.erf_inv. f16 and bf16 are the
    numbers of f32, rounded. `lathe.random_normal %seed stream 3 to [4, 16] : f32`.

    Constraints: (C1) the element type is a float; (C2) stream fits 32 bits.
  }];
}

def Lathe_RandomIntegersOp : Lathe_RandomOp<"random_integers", RankedTensorOf<[Lathe_Integer]>, (ins I64Attr:$low, I64Attr:$high)> {
  let summary = "Uniform integers from low to high - 1";
  let description = [{
    low + floor(b (high - low) / 2^64), b the place's random_bits of i64, unsigned: the probabilities of two numbers differ by a
    factor of at most 1 + (high - low) / 2^64, less than 1 + 2^-31.
    `lathe.random_integers %seed stream 3 from 0 below 10 to [4, 16] : i32`.

    Constraints: (C1) the element type is an integer; (C2) stream fits 32 bits; (C3) low is below high; (C4) high - low is at most
    2^32; (C5) the element type has low and high - 1.
  }];
}

def Lathe_RandomBernoulliOp : Lathe_RandomOp<"random_bernoulli", Lathe_BoolTensor, (ins F64Attr:$probability)> {
  let summary = "true with a probability";
  let description = [{
    Whether the place's random_bits of i32, unsigned, are below the probability times 2^32, rounded to an integer. For a probability
    that is data compare random_uniform with it. `lathe.random_bernoulli %seed stream 3 probability 0.25 to [4, 16] : i1`.

    Constraints: (C1) the element type is i1; (C2) stream fits 32 bits; (C3) the probability is from 0 to 1.
  }];
}

def Lathe_RandomPermutationOp : Lathe_RandomOp<"random_permutation", RankedTensorOf<[I32]>> {
  let summary = "A random order of 0, 1, 2, ... along the last dimension";
  let description = [{
    argsort of the random_bits of i64, each row on its own. Keys of 64 bits are equal with probability n^2 / 2^65 in a row of n.
    `lathe.random_permutation %seed stream 3 to [4, 16] : i32`.

    Constraints: (C1) the element type is i32; (C2) stream fits 32 bits; (C3) the rank is not 0.
  }];
}

def Lathe_RandomFoldInOp : Lathe_Op<"random_fold_in", [Pure]> { // a buildable result type needs no inference
  let summary = "Another seed, of a seed and a number";
  let description = [{
    With h(s) the first random_bits of i64 of stream 2^32 - 1 under the seed s: h(h(seed) xor number). For a number of a step, a
    layer or an example. `lathe.random_fold_in %seed, %number : tensor<i64>`.
  }];
  let arguments = (ins Lathe_Scalar64:$seed, Lathe_Scalar64:$number);
  let results = (outs Lathe_Scalar64:$result);
  let assemblyFormat = "$seed `,` $number attr-dict `:` type($seed)";
}

#endif

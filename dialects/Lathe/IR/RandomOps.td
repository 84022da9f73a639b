// Random numbers of a distribution.
//
// Import expands these ops to lathe.random_bits and exactly rounded arithmetic. So the numbers are the same in the interpreter and in
// compiled code at every level, however they are sliced or batched. Each op takes its bits from stream `stream` of the seed, by the
// element's index in row-major order: two ops with the same seed and stream have the same bits. In a batch, elements with the same
// seed have the same numbers, and each element has the numbers that it would have without the batch. New seeds come from
// lathe.random_bits with i64 elements ("split") and from lathe.random_fold_in. Derivatives treat the numbers as constants; a location
// and a scale that are applied to them have derivatives like any arithmetic.
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
    k / 2^b, where k is the upper b bits of the element's random_bits: i64 and b = 53 for f64; i32 and b = 24, 11 and 8 for f32, f16
    and bf16. `lathe.random_uniform %seed stream 3 to [4, 16] : f32`.

    Constraints: (C1) the element type is a float; (C2) stream fits 32 bits.
  }];
}

def Lathe_RandomNormalOp : Lathe_RandomOp<"random_normal", Lathe_FloatTensor> {
  let summary = "Normal numbers of mean 0 and variance 1";
  let description = [{
    sqrt(2) erf_inv(u), where u = (2 k + 1) / 2^b - 1 with k as in random_uniform. It is never infinite; the largest number is 5.4
    for f32 and 8.2 for f64. erf_inv is a polynomial of rounded additions and multiplications, within 16 ULP of lathe.erf_inv. f16
    and bf16 are the numbers of f32, rounded. `lathe.random_normal %seed stream 3 to [4, 16] : f32`.

    Constraints: (C1) the element type is a float; (C2) stream fits 32 bits.
  }];
}

def Lathe_RandomIntegersOp : Lathe_RandomOp<"random_integers", RankedTensorOf<[Lathe_Integer]>, (ins I64Attr:$low, I64Attr:$high)> {
  let summary = "Uniform integers from low to high - 1";
  let description = [{
    low + floor(b (high - low) / 2^64), where b is the element's random_bits of i64, unsigned. The probabilities of two numbers
    differ by a factor of at most 1 + (high - low) / 2^64, which is less than 1 + 2^-31.
    `lathe.random_integers %seed stream 3 from 0 below 10 to [4, 16] : i32`.

    Constraints: (C1) the element type is an integer; (C2) stream fits 32 bits; (C3) low is below high; (C4) high - low is at most
    2^32; (C5) low and high - 1 are in the element type's range.
  }];
}

def Lathe_RandomBernoulliOp : Lathe_RandomOp<"random_bernoulli", Lathe_BoolTensor, (ins F64Attr:$probability)> {
  let summary = "Booleans that are true with a given probability";
  let description = [{
    True if the element's random_bits of i32, unsigned, are below the probability times 2^32, rounded to an integer. For a
    probability that is data, compare random_uniform with it. `lathe.random_bernoulli %seed stream 3 probability 0.25 to [4, 16] :
    i1`.

    Constraints: (C1) the element type is i1; (C2) stream fits 32 bits; (C3) the probability is from 0 to 1.
  }];
}

def Lathe_RandomPermutationOp : Lathe_RandomOp<"random_permutation", RankedTensorOf<[I32]>> {
  let summary = "A random order of 0, 1, 2, ... along the last dimension";
  let description = [{
    The argsort of random_bits of i64, for each row separately. In a row of n elements, two keys are equal with probability
    n^2 / 2^65.
    `lathe.random_permutation %seed stream 3 to [4, 16] : i32`.

    Constraints: (C1) the element type is i32; (C2) stream fits 32 bits; (C3) the rank is not 0.
  }];
}

def Lathe_RandomFoldInOp : Lathe_Op<"random_fold_in", [Pure]> { // a buildable result type needs no inference
  let summary = "A new seed from a seed and a number";
  let description = [{
    h(h(seed) xor number), where h(s) is the first element of random_bits of i64 with the seed s and stream 2^32 - 1. The number may
    be that of a step, a layer or an example. `lathe.random_fold_in %seed, %number : tensor<i64>`.
  }];
  let arguments = (ins Lathe_Scalar64:$seed, Lathe_Scalar64:$number);
  let results = (outs Lathe_Scalar64:$result);
  let assemblyFormat = "$seed `,` $number attr-dict `:` type($seed)";
}

#endif

// Each elementary function of one operand.
func.func @functions(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32> {lathe.name = "y_exp"}, tensor<?xf32> {lathe.name = "y_exp2"}, tensor<?xf32> {lathe.name = "y_expm1"},
        tensor<?xf32> {lathe.name = "y_log"}, tensor<?xf32> {lathe.name = "y_log2"}, tensor<?xf32> {lathe.name = "y_log10"},
        tensor<?xf32> {lathe.name = "y_log1p"}, tensor<?xf32> {lathe.name = "y_sqrt"}, tensor<?xf32> {lathe.name = "y_rsqrt"},
        tensor<?xf32> {lathe.name = "y_cbrt"}, tensor<?xf32> {lathe.name = "y_sin"}, tensor<?xf32> {lathe.name = "y_cos"},
        tensor<?xf32> {lathe.name = "y_tan"}, tensor<?xf32> {lathe.name = "y_asin"}, tensor<?xf32> {lathe.name = "y_acos"},
        tensor<?xf32> {lathe.name = "y_atan"}, tensor<?xf32> {lathe.name = "y_sinh"}, tensor<?xf32> {lathe.name = "y_cosh"},
        tensor<?xf32> {lathe.name = "y_tanh"}, tensor<?xf32> {lathe.name = "y_asinh"}, tensor<?xf32> {lathe.name = "y_acosh"},
        tensor<?xf32> {lathe.name = "y_atanh"}, tensor<?xf32> {lathe.name = "y_logistic"}, tensor<?xf32> {lathe.name = "y_erf"},
        tensor<?xf32> {lathe.name = "y_erfc"}, tensor<?xf32> {lathe.name = "y_erf_inv"}, tensor<?xf32> {lathe.name = "y_lgamma"},
        tensor<?xf32> {lathe.name = "y_digamma"}) {
  %exp = lathe.exp %x : tensor<?xf32>
  %exp2 = lathe.exp2 %x : tensor<?xf32>
  %expm1 = lathe.expm1 %x : tensor<?xf32>
  %log = lathe.log %x : tensor<?xf32>
  %log2 = lathe.log2 %x : tensor<?xf32>
  %log10 = lathe.log10 %x : tensor<?xf32>
  %log1p = lathe.log1p %x : tensor<?xf32>
  %sqrt = lathe.sqrt %x : tensor<?xf32>
  %rsqrt = lathe.rsqrt %x : tensor<?xf32>
  %cbrt = lathe.cbrt %x : tensor<?xf32>
  %sin = lathe.sin %x : tensor<?xf32>
  %cos = lathe.cos %x : tensor<?xf32>
  %tan = lathe.tan %x : tensor<?xf32>
  %asin = lathe.asin %x : tensor<?xf32>
  %acos = lathe.acos %x : tensor<?xf32>
  %atan = lathe.atan %x : tensor<?xf32>
  %sinh = lathe.sinh %x : tensor<?xf32>
  %cosh = lathe.cosh %x : tensor<?xf32>
  %tanh = lathe.tanh %x : tensor<?xf32>
  %asinh = lathe.asinh %x : tensor<?xf32>
  %acosh = lathe.acosh %x : tensor<?xf32>
  %atanh = lathe.atanh %x : tensor<?xf32>
  %logistic = lathe.logistic %x : tensor<?xf32>
  %erf = lathe.erf %x : tensor<?xf32>
  %erfc = lathe.erfc %x : tensor<?xf32>
  %erf_inv = lathe.erf_inv %x : tensor<?xf32>
  %lgamma = lathe.lgamma %x : tensor<?xf32>
  %digamma = lathe.digamma %x : tensor<?xf32>
  return %exp, %exp2, %expm1, %log, %log2, %log10, %log1p, %sqrt, %rsqrt, %cbrt, %sin, %cos, %tan, %asin,
         %acos, %atan, %sinh, %cosh, %tanh, %asinh, %acosh, %atanh, %logistic, %erf, %erfc, %erf_inv, %lgamma, %digamma
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

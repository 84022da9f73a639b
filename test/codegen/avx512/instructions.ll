; Instructions of AVX-512 that machines of tests may lack, written by the operations that Intel's manual describes.
; standin.py puts them in the place of the intrinsics.

; Numbers below 2^-126 become zeros of their sign.
define internal <16 x float> @standin.flush(<16 x float> %x) alwaysinline {
  %bits = bitcast <16 x float> %x to <16 x i32>
  %exponent = and <16 x i32> %bits, splat (i32 2139095040)
  %small = icmp eq <16 x i32> %exponent, zeroinitializer
  %sign = and <16 x i32> %bits, splat (i32 -2147483648)
  %kept = select <16 x i1> %small, <16 x i32> %sign, <16 x i32> %bits
  %y = bitcast <16 x i32> %kept to <16 x float>
  ret <16 x float> %y
}

; VCVTNEPS2BF16: rounds to nearest, ties to even. Numbers below 2^-126 become zeros, and a NaN becomes quiet.
define internal <16 x i16> @standin.cvtneps2bf16.512(<16 x float> %x) alwaysinline {
  %flushed = call <16 x float> @standin.flush(<16 x float> %x)
  %bits = bitcast <16 x float> %flushed to <16 x i32>
  %upper = lshr <16 x i32> %bits, splat (i32 16)
  %last = and <16 x i32> %upper, splat (i32 1)
  %half = add <16 x i32> %last, splat (i32 32767)
  %sum = add <16 x i32> %bits, %half
  %rounded = lshr <16 x i32> %sum, splat (i32 16)
  %quiet = or <16 x i32> %upper, splat (i32 64)
  %isnan = fcmp uno <16 x float> %x, zeroinitializer
  %chosen = select <16 x i1> %isnan, <16 x i32> %quiet, <16 x i32> %rounded
  %result = trunc <16 x i32> %chosen to <16 x i16>
  ret <16 x i16> %result
}

; VDPBF16PS: adds the upper product of each pair to the sum, then the lower one. Each is a multiply-add that rounds once to nearest, with
; operands and results below 2^-126 flushed.
define internal <16 x float> @standin.dpbf16ps.512(<16 x float> %sum, <32 x i16> %x, <32 x i16> %y) alwaysinline {
  %xs = bitcast <32 x i16> %x to <16 x i32>
  %ys = bitcast <32 x i16> %y to <16 x i32>
  %xu.bits = and <16 x i32> %xs, splat (i32 -65536)
  %yu.bits = and <16 x i32> %ys, splat (i32 -65536)
  %xl.bits = shl <16 x i32> %xs, splat (i32 16)
  %yl.bits = shl <16 x i32> %ys, splat (i32 16)
  %xu.all = bitcast <16 x i32> %xu.bits to <16 x float>
  %yu.all = bitcast <16 x i32> %yu.bits to <16 x float>
  %xl.all = bitcast <16 x i32> %xl.bits to <16 x float>
  %yl.all = bitcast <16 x i32> %yl.bits to <16 x float>
  %xu = call <16 x float> @standin.flush(<16 x float> %xu.all)
  %yu = call <16 x float> @standin.flush(<16 x float> %yu.all)
  %xl = call <16 x float> @standin.flush(<16 x float> %xl.all)
  %yl = call <16 x float> @standin.flush(<16 x float> %yl.all)
  %start = call <16 x float> @standin.flush(<16 x float> %sum)
  %upper.all = call <16 x float> @llvm.fma.v16f32(<16 x float> %xu, <16 x float> %yu, <16 x float> %start)
  %upper = call <16 x float> @standin.flush(<16 x float> %upper.all)
  %both.all = call <16 x float> @llvm.fma.v16f32(<16 x float> %xl, <16 x float> %yl, <16 x float> %upper)
  %both = call <16 x float> @standin.flush(<16 x float> %both.all)
  ret <16 x float> %both
}
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

; VPDPBUSD: adds four products of unsigned bytes by signed ones to each sum, which wraps.
define internal <16 x i32> @standin.vpdpbusd.512(<16 x i32> %sum, <64 x i8> %x, <64 x i8> %y) alwaysinline {
  %xw = zext <64 x i8> %x to <64 x i32>
  %yw = sext <64 x i8> %y to <64 x i32>
  %products = mul <64 x i32> %xw, %yw
  %p0 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 32, i32 36, i32 40, i32 44, i32 48, i32 52, i32 56, i32 60>
  %p1 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  %p2 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> <i32 2, i32 6, i32 10, i32 14, i32 18, i32 22, i32 26, i32 30, i32 34, i32 38, i32 42, i32 46, i32 50, i32 54, i32 58, i32 62>
  %p3 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> <i32 3, i32 7, i32 11, i32 15, i32 19, i32 23, i32 27, i32 31, i32 35, i32 39, i32 43, i32 47, i32 51, i32 55, i32 59, i32 63>
  %s0 = add <16 x i32> %sum, %p0
  %s1 = add <16 x i32> %s0, %p1
  %s2 = add <16 x i32> %s1, %p2
  %s3 = add <16 x i32> %s2, %p3
  ret <16 x i32> %s3
}

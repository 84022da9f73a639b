// What is picked out of a single row by an index that is data, beside other results of the same loop.
// RUN: lathe-run %s f0 --input p0=1 --input p1=1 --input p2=0 --input p3=1 --input p4=1 --input p5=1.4 --random --check --rtol 1e-12

func.func private @f0_of(%v0: tensor<f64>, %v2: tensor<1xf64>, %v3: tensor<i32>, %v5: tensor<f64>, %v8: tensor<2x1xf64>) -> (tensor<f64>, tensor<6x1xf64>, tensor<1xf64>) {
  %v1 = lathe.rsqrt %v0 : tensor<f64>
  %v4 = lathe.scatter mul %v2, %v3, %v1 axis 0 : tensor<1xf64>, tensor<i32>, tensor<f64>
  %v6 = lathe.mul %v4, %v5 : tensor<1xf64>, tensor<f64>
  %v7 = lathe.expm1 %v6 : tensor<1xf64>
  %v9 = lathe.pad %v8, %v5 low [3, 0] high [1, 0] interior [0, 0] : tensor<2x1xf64>, tensor<f64>
  %v10 = lathe.dynamic_slice %v7 [%v3] size [1] : tensor<1xf64>, (tensor<i32>)
  return %v1, %v9, %v10 : tensor<f64>, tensor<6x1xf64>, tensor<1xf64>
}
func.func @f0(%p0: tensor<f64>, %p1: tensor<1xf64>, %p2: tensor<i32>, %p3: tensor<f64>, %p4: tensor<2x1xf64>, %p5: tensor<f64>, %p6: tensor<6x1xf64>, %p7: tensor<1xf64>) -> (tensor<f64>, tensor<6x1xf64>, tensor<1xf64>, tensor<f64>, tensor<1xf64>, tensor<f64>, tensor<2x1xf64>) {
  %r0, %r1, %r2, %r3, %r4, %r5, %r6 = lathe.vjp @f0_of(%p0, %p1, %p2, %p3, %p4) cotangents(%p5, %p6, %p7) wrt [0, 1, 3, 4] : (tensor<f64>, tensor<1xf64>, tensor<i32>, tensor<f64>, tensor<2x1xf64>), (tensor<f64>, tensor<6x1xf64>, tensor<1xf64>) -> (tensor<f64>, tensor<6x1xf64>, tensor<1xf64>, tensor<f64>, tensor<1xf64>, tensor<f64>, tensor<2x1xf64>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<f64>, tensor<6x1xf64>, tensor<1xf64>, tensor<f64>, tensor<1xf64>, tensor<f64>, tensor<2x1xf64>
}

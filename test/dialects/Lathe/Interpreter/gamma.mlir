// lgamma and its derivatives at ordinary numbers, and at poles, infinities and zeros, as the interpreter has them, and compiled code.
// RUN: lathe-run %s values --interpret | FileCheck %s --check-prefix=VALUE
// RUN: lathe-run %s values --check --rtol 1e-14 --atol 0
// RUN: lathe-run %s values --check --rtol 1e-14 --atol 0 --target x86-64-v2
// RUN: lathe-run %s values --bisect --rtol 1e-14 --atol 0
// RUN: lathe-run %s zero --interpret | FileCheck %s --check-prefix=ZERO
// RUN: lathe-run %s zero --check --rtol 1e-15 --atol 0
// RUN: lathe-run %s zero --check --rtol 1e-15 --atol 0 --target x86-64-v2
// RUN: lathe-run %s ends --interpret | FileCheck %s --check-prefix=END
// RUN: lathe-run %s ends --check --rtol 1e-14 --atol 0
// RUN: lathe-run %s ends --check --rtol 1e-14 --atol 0 --target x86-64-v2
// RUN: lathe-run %s ends --bisect --rtol 1e-14 --atol 0

func.func @values() -> (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) {
  %x = lathe.constant dense<[0.25, 1.0, 2.0, 6.5, -0.5, -2.25]> : tensor<6xf64>
  // VALUE: lgamma: {{.*}}: 1.2880225246980774 0 0 5.662562059857142 1.2655121234846454 0.5555015450206475{{$}}
  %lgamma = lathe.lgamma %x : tensor<6xf64>
  // VALUE: digamma: {{.*}}: -4.2274535333762655 -0.5772156649015329 0.42278433509846713 1.792911330399933 0.03648997397857652 4.158583564657972{{$}}
  %digamma = lathe.digamma %x : tensor<6xf64>
  // VALUE: polygamma1: {{.*}}: 17.19732915450711 1.6449340668482264 0.6449340668482264 0.16628453574995825 8.934802200544679 19.37941051186914{{$}}
  %polygamma1 = lathe.polygamma %x order 1 : tensor<6xf64>
  // VALUE: polygamma2: {{.*}}: -129.32773993753693 -2.4041138063191885 -0.4041138063191886 -0.0275879107068768 -0.82879664423432 123.89694977406016{{$}}
  %polygamma2 = lathe.polygamma %x order 2 : tensor<6xf64>
  return %lgamma, %digamma, %polygamma1, %polygamma2 : tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>
}

func.func @ends() -> (tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>) {
  %x = lathe.constant dense<[0.0, -0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, -3.0, 1.7976931348623157e308, 1.0, 2.0]> : tensor<9xf64>
  // END: lgamma: {{.*}}: inf inf inf inf {{-?}}nan inf inf 0 0{{$}}
  %lgamma = lathe.lgamma %x : tensor<9xf64>
  // END: digamma: {{.*}}: -inf inf inf {{-?}}nan {{-?}}nan {{-?}}nan 709.782712893384 -0.5772156649015329 0.42278433509846713{{$}}
  %digamma = lathe.digamma %x : tensor<9xf64>
  // END: polygamma1: {{.*}}: inf inf 0 {{-?}}nan {{-?}}nan inf 5.562684646268003e-309 1.6449340668482264 0.6449340668482264{{$}}
  %polygamma1 = lathe.polygamma %x order 1 : tensor<9xf64>
  // END: polygamma2: {{.*}}: -inf inf -0 {{-?}}nan {{-?}}nan {{-?}}nan -0 -2.4041138063191885 -0.4041138063191886{{$}}
  %polygamma2 = lathe.polygamma %x order 2 : tensor<9xf64>
  return %lgamma, %digamma, %polygamma1, %polygamma2 : tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>
}

// Beside the positive zero, 1.4616..., where the terms of a sum would cancel; the numbers are mpmath's.
func.func @zero() -> tensor<4xf64> {
  %x = lathe.constant dense<[1.4616321449683622, 1.4618709724299805, 1.25, 1.7]> : tensor<4xf64>
  // ZERO: digamma: {{.*}}: -9.241265521729427e-17 0.00023108145500749073 -0.22745353337626542 0.2085478748734939{{$}}
  %digamma = lathe.digamma %x : tensor<4xf64>
  return %digamma : tensor<4xf64>
}

// Products of many factors go in blocks that rows share, where there are rows enough: named and fixed sizes, columns that fill no
// panel, halves, integers and doubles, batches, epilogues, pieces of several threads.
// RUN: lathe-run %s main --random --dim K=700 --dim M=70 --dim N=75 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s main --random --dim K=513 --dim M=3 --dim N=300 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s main --random --dim K=1 --dim M=40 --dim N=1 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s main --random --dim K=1030 --dim M=201 --dim N=130 --check --rtol 1e-4 --atol 1e-4 --threads 2
// RUN: lathe-run %s main --random --dim K=600 --dim M=64 --dim N=64 --bisect --rtol 1e-4 --atol 1e-4

func.func @main(%a: tensor<900x70xf32>, %b: tensor<900x150xf32>, %ak: tensor<?x70xf32> {lathe.dims = #lathe.dims<K>},
                %bk: tensor<?x150xf32> {lathe.dims = #lathe.dims<K>}, %am: tensor<?x900xf32> {lathe.dims = #lathe.dims<M>},
                %bn: tensor<900x?xf32> {lathe.dims = #lathe.dims<N>},
                %i: tensor<900x64xi32>, %ib: tensor<900x90xi32>, %d: tensor<900x64xf64>, %db: tensor<900x70xf64>,
                %s: tensor<3x64x600xf32>, %sb: tensor<3x600x160xf32>)
    -> (tensor<70x150xf32>, tensor<70x150xf32>, tensor<?x150xf32>, tensor<?x?xf32>, tensor<64x90xi32>, tensor<64x70xf64>,
        tensor<3x64x160xf32>) {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<900x70xf32>, tensor<900x150xf32>
  %1 = lathe.tanh %0 : tensor<70x150xf32>
  %2 = lathe.dot_general %ak, %bk contract [0] x [0] : tensor<?x70xf32>, tensor<?x150xf32>
  %3 = lathe.dot_general %am, %b contract [1] x [0] : tensor<?x900xf32>, tensor<900x150xf32>
  %4 = lathe.dot_general %am, %bn contract [1] x [0] : tensor<?x900xf32>, tensor<900x?xf32>
  %6 = lathe.dot_general %i, %ib contract [0] x [0] : tensor<900x64xi32>, tensor<900x90xi32>
  %7 = lathe.dot_general %d, %db contract [0] x [0] : tensor<900x64xf64>, tensor<900x70xf64>
  %8 = lathe.dot_general %s, %sb contract [2] x [1] batch [0] x [0] : tensor<3x64x600xf32>, tensor<3x600x160xf32>
  return %1, %2, %3, %4, %6, %7, %8
      : tensor<70x150xf32>, tensor<70x150xf32>, tensor<?x150xf32>, tensor<?x?xf32>, tensor<64x90xi32>, tensor<64x70xf64>,
        tensor<3x64x160xf32>
}

// Sums that differ in their last bits may differ by a unit of f16.
// RUN: lathe-run %s halves --random --check --rtol 1e-3 --atol 1e-4
// RUN: lathe-run %s halves --random --check --rtol 1e-3 --atol 1e-4 --target x86-64-v2 --threads 2
func.func @halves(%a: tensor<900x64xf16>, %b: tensor<900x300xf16>) -> tensor<64x300xf16> {
  %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<900x64xf16>, tensor<900x300xf16>
  return %0 : tensor<64x300xf16>
}

// A row has the same bits among many as among few, which have no blocks.
// RUN: lathe-run %s bits --random | FileCheck %s --check-prefix BITS
// RUN: lathe-run %s bits --random --target x86-64-v2 | FileCheck %s --check-prefix BITS
// BITS: {{^}}different = 0{{$}}
func.func @bits(%a: tensor<64x1500xf32>, %b: tensor<1500x130xf32>) -> (tensor<i32> {lathe.name = "different"}) {
  %many = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x1500xf32>, tensor<1500x130xf32>
  %some = lathe.slice %a from [40, 0] to [47, 1500] : tensor<64x1500xf32>
  %few = lathe.dot_general %some, %b contract [1] x [0] : tensor<7x1500xf32>, tensor<1500x130xf32>
  %rows = lathe.slice %many from [40, 0] to [47, 130] : tensor<64x130xf32>
  %differ = lathe.compare ne %rows, %few : tensor<7x130xf32>
  %ones = lathe.convert %differ to i32 : tensor<7x130xi1>
  %count = lathe.reduce sum %ones dims [0, 1] : tensor<7x130xi32>
  return %count : tensor<i32>
}

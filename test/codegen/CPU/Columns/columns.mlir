// Reductions over columns against the interpreter: sizes around vectors and blocks, several reduced dimensions, all kinds and
// types, what is fused before and behind them, and loops around the columns.
// RUN: lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep -c 'for x86-64-v3: column_reduction' | grep -x 18
// RUN: lathe-run %s sums --random --check --rtol 1e-5 --atol 1e-4
// RUN: lathe-run %s sums --random --check --rtol 1e-5 --atol 1e-4 --threads 3
// RUN: lathe-run %s sums --random --check --rtol 1e-5 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s kinds --random --check --rtol 1e-5
// RUN: lathe-run %s kinds --random --check --rtol 1e-5 --threads 2 --target x86-64-v2
// RUN: lathe-run %s types --random --check --rtol 1e-3 --atol 1e-6 --threads 2
// RUN: lathe-run %s fused --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s fused --random --check --rtol 1e-4 --atol 1e-5 --threads 3
// RUN: lathe-run %s outer --random --check --rtol 1e-5 --atol 1e-4
// RUN: lathe-run %s outer --random --check --rtol 1e-5 --atol 1e-4 --threads 3
// RUN: lathe-run %s named --random --check --rtol 1e-5 --atol 1e-4 --dim R=1 --dim C=1
// RUN: lathe-run %s named --random --check --rtol 1e-5 --atol 1e-4 --dim R=1200 --dim C=77 --threads 2
// RUN: lathe-run %s named --random --check --rtol 1e-5 --atol 1e-4 --dim R=35 --dim C=2100
// RUN: lathe-run %s row --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s row --random --check --rtol 1e-4 --atol 1e-4 --threads 3 --target x86-64-v2
// RUN: lathe-run %s row_data --random --output of_x=@%t.x.npy --output of_w=@%t.w.npy
// RUN: lathe-run %s rows --dim N=1 --input x=@%t.x.npy --input w=@%t.w.npy --output y=@%t.y.npy
// RUN: lathe-run %s rows --input x=@%t.x.npy --input w=@%t.w.npy --expect y=@%t.y.npy --rtol 0 --atol 0
// RUN: lathe-run %s rows --input x=@%t.x.npy --input w=@%t.w.npy --specialize N=1 --threads 2 --expect y=@%t.y.npy --rtol 0 --atol 0

// Whole vectors, a remainder, several blocks; 35 rows of 7 and rows of 33 terms, whose chains end with the row.
func.func @sums(%a: tensor<600x128xf32>, %b: tensor<67x2085xf32>, %c: tensor<35x7x100xf32>, %d: tensor<41x33x50xf32>) -> (tensor<128xf32>, tensor<2085xf32>, tensor<100xf32>, tensor<50xf32>) {
  %0 = lathe.reduce sum %a dims [0] : tensor<600x128xf32>
  %1 = lathe.reduce sum %b dims [0] : tensor<67x2085xf32>
  %2 = lathe.reduce sum %c dims [0, 1] : tensor<35x7x100xf32>
  %3 = lathe.reduce sum %d dims [0, 1] : tensor<41x33x50xf32>
  return %0, %1, %2, %3 : tensor<128xf32>, tensor<2085xf32>, tensor<100xf32>, tensor<50xf32>
}

func.func @kinds(%a: tensor<90x210xf32>, %b: tensor<90x210xi32>) -> (tensor<210xf32>, tensor<210xf32>, tensor<210xi32>, tensor<210xf32>, tensor<210xi32>) {
  %0 = lathe.reduce max %a dims [0] : tensor<90x210xf32>
  %1 = lathe.reduce min %a dims [0] : tensor<90x210xf32>
  %2 = lathe.argmax %a dim 0 : tensor<90x210xf32>
  %3 = lathe.reduce product %a dims [0] : tensor<90x210xf32>
  %4 = lathe.reduce sum %b dims [0] : tensor<90x210xi32>
  return %0, %1, %2, %3, %4 : tensor<210xf32>, tensor<210xf32>, tensor<210xi32>, tensor<210xf32>, tensor<210xi32>
}

func.func @types(%a: tensor<600x75xf64>, %b: tensor<600x75xf16>, %c: tensor<600x75xbf16>) -> (tensor<75xf64>, tensor<75xf16>, tensor<75xbf16>) {
  %0 = lathe.reduce sum %a dims [0] : tensor<600x75xf64>
  %1 = lathe.reduce sum %b dims [0] : tensor<600x75xf16>
  %2 = lathe.reduce sum %c dims [0] : tensor<600x75xbf16>
  return %0, %1, %2 : tensor<75xf64>, tensor<75xf16>, tensor<75xbf16>
}

// A product summed up, as a gradient of a scale; a mean and what follows from it.
func.func @fused(%a: tensor<20x30x70xf32>, %b: tensor<20x30x70xf32>, %c: tensor<70xf32>) -> (tensor<70xf32>, tensor<70xf32>) {
  %rate = lathe.constant dense<0.01> : tensor<f32>
  %0 = lathe.sub %a, %c : tensor<20x30x70xf32>, tensor<70xf32>
  %1 = lathe.mul %0, %b : tensor<20x30x70xf32>
  %2 = lathe.reduce sum %1 dims [0, 1] : tensor<20x30x70xf32>
  %3 = lathe.mul %2, %rate : tensor<70xf32>, tensor<f32>
  %4 = lathe.sub %c, %3 : tensor<70xf32>
  %5 = lathe.mul %a, %b : tensor<20x30x70xf32>
  %6 = lathe.reduce sum %5 dims [0, 1] : tensor<20x30x70xf32>
  return %4, %6 : tensor<70xf32>, tensor<70xf32>
}

func.func @outer(%a: tensor<5x40x300xf32>, %b: tensor<3x40x2x50x70xf32>) -> (tensor<5x300xf32>, tensor<3x2x70xf32>) {
  %0 = lathe.reduce sum %a dims [1] : tensor<5x40x300xf32>
  %1 = lathe.reduce sum %b dims [1, 3] : tensor<3x40x2x50x70xf32>
  return %0, %1 : tensor<5x300xf32>, tensor<3x2x70xf32>
}

func.func @named(%a: tensor<?x?xf32> {lathe.dims = #lathe.dims<R, C>}) -> tensor<?xf32> {
  %0 = lathe.reduce sum %a dims [0] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// A row of products over rows of rhs that share a set of the cache. It has the bits that it has among others, in chains of 256.
func.func @row(%x: tensor<1x700xf32>, %w: tensor<700x1024xf32>, %b: tensor<1024xf32>) -> tensor<1x1024xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<1x700xf32>, tensor<700x1024xf32>
  %1 = lathe.add %0, %b : tensor<1x1024xf32>, tensor<1024xf32>
  return %1 : tensor<1x1024xf32>
}
func.func @row_data(%x: tensor<1x700xf32>, %w: tensor<700x1024xf32>) -> (tensor<1x700xf32> {lathe.name = "of_x"}, tensor<700x1024xf32> {lathe.name = "of_w"}) {
  %0 = lathe.neg %x : tensor<1x700xf32>
  %1 = lathe.neg %w : tensor<700x1024xf32>
  return %0, %1 : tensor<1x700xf32>, tensor<700x1024xf32>
}
func.func @rows(%x: tensor<?x700xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<700x1024xf32>) -> (tensor<?x1024xf32> {lathe.name = "y"}) {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x700xf32>, tensor<700x1024xf32>
  return %0 : tensor<?x1024xf32>
}

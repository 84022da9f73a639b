// Versions for one size of row, and more threads, give the bits of the general code on one thread, whether values between passes are
// in registers, in a result or on the stack. So do kernels that are not fused, as far as they reduce.
// RUN: lathe-run %s data --random --dim N=45 --dim M=77 --output made=@%t.x.npy
// RUN: lathe-run %s rows --input x=@%t.x.npy --output y=@%t.y.npy --output entropy=@%t.entropy.npy --output total=@%t.total.npy
// RUN: lathe-run %s rows --input x=@%t.x.npy --specialize M=77 --expect y=@%t.y.npy --expect entropy=@%t.entropy.npy --expect total=@%t.total.npy --rtol 0 --atol 0
// RUN: lathe-run %s rows --input x=@%t.x.npy --specialize N=45 --threads 2 --expect y=@%t.y.npy --expect entropy=@%t.entropy.npy --expect total=@%t.total.npy --rtol 0 --atol 0
// RUN: lathe-run %s rows --input x=@%t.x.npy -O 0 --expect y=@%t.y.npy --expect entropy=@%t.entropy.npy --expect total=@%t.total.npy --rtol 0 --atol 0

func.func @data(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> tensor<?x?xf32> {
  %made = lathe.neg %x : tensor<?x?xf32>
  return %made : tensor<?x?xf32>
}

func.func @rows(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf64>) {
  %e = lathe.exp %x : tensor<?x?xf32>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x?xf32>
  %sums = lathe.broadcast %sum dims [0] to [N, M] : tensor<?xf32>
  %y = lathe.div %e, %sums : tensor<?x?xf32>
  %log = lathe.log %y : tensor<?x?xf32>
  %product = lathe.mul %y, %log : tensor<?x?xf32>
  %entropy = lathe.reduce sum %product dims [1] : tensor<?x?xf32>
  %double = lathe.convert %product to f64 : tensor<?x?xf32>
  %total = lathe.reduce sum %double dims [1] : tensor<?x?xf64>
  return %y, %entropy, %total : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf64>
}

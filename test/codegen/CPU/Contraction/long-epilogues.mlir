// Long bodies behind a product are computed for two rows at once: an odd last row, rows of several dimensions, columns that do not
// fill vectors, operands of each row, truths, f64, a named number of rows, and rows that share blocks. The results have the bits of
// the same ops behind stored products, on any number of threads, and agree with the interpreter.
// RUN: rm -rf %t.* && lathec %s --emit=shared -o %t.so
// RUN: lathe-run %t.so fused --random --dim N=11 --save %t.fused
// RUN: lathe-run %t.so products --input xa=@%t.fused/in-xa.npy --input wa=@%t.fused/in-wa.npy --input xb=@%t.fused/in-xb.npy --input wb=@%t.fused/in-wb.npy --input xc=@%t.fused/in-xc.npy --input wc=@%t.fused/in-wc.npy --input xd=@%t.fused/in-xd.npy --input wd=@%t.fused/in-wd.npy --save %t.stored
// RUN: lathe-run %t.so behind --input pa=@%t.stored/out-pa.npy --input ra=@%t.fused/in-ra.npy --input pb=@%t.stored/out-pb.npy --input rb=@%t.fused/in-rb.npy --input pc=@%t.stored/out-pc.npy --input rc=@%t.fused/in-rc.npy --input pd=@%t.stored/out-pd.npy --input rd=@%t.fused/in-rd.npy --save %t.behind
// RUN: cmp %t.behind/out-ya.npy %t.fused/out-ya.npy
// RUN: cmp %t.behind/out-za.npy %t.fused/out-za.npy
// RUN: cmp %t.behind/out-yb.npy %t.fused/out-yb.npy
// RUN: cmp %t.behind/out-zb.npy %t.fused/out-zb.npy
// RUN: cmp %t.behind/out-yc.npy %t.fused/out-yc.npy
// RUN: cmp %t.behind/out-zc.npy %t.fused/out-zc.npy
// RUN: cmp %t.behind/out-yd.npy %t.fused/out-yd.npy
// RUN: cmp %t.behind/out-zd.npy %t.fused/out-zd.npy
// RUN: lathe-run %t.so fused --random --dim N=11 --threads=3 --save %t.three && diff -r %t.fused %t.three
// RUN: lathe-run %s fused --random --dim N=11 --check --rtol 1e-4 --atol 1e-3

func.func @fused(%xa: tensor<7x5x32xf32>, %wa: tensor<32x48xf32>, %ra: tensor<7x5xf32>, %xb: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %wb: tensor<64x40xf32>, %rb: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %xc: tensor<13x24xf64>, %wc: tensor<24x32xf64>, %rc: tensor<13xf64>, %xd: tensor<131x512xf32>, %wd: tensor<512x64xf32>, %rd: tensor<131xf32>)
    -> (tensor<7x5x48xf32>, tensor<7x5x48xi1>, tensor<?x40xf32>, tensor<?x40xi1>, tensor<13x32xf64>, tensor<13x32xi1>, tensor<131x64xf32>, tensor<131x64xi1>) {
  %pa = lathe.dot_general %xa, %wa contract [2] x [0] : tensor<7x5x32xf32>, tensor<32x48xf32>
  %sa = lathe.broadcast %ra dims [0, 1] to [7, 5, 48] : tensor<7x5xf32>
  %ma = lathe.mul %pa, %sa : tensor<7x5x48xf32>
  %ta = lathe.tanh %ma : tensor<7x5x48xf32>
  %ua = lathe.abs %pa : tensor<7x5x48xf32>
  %va = lathe.sqrt %ua : tensor<7x5x48xf32>
  %ea = lathe.exp %ta : tensor<7x5x48xf32>
  %ya = lathe.mul %ea, %va : tensor<7x5x48xf32>
  %za = lathe.compare gt %ya, %ta : tensor<7x5x48xf32>
  %pb = lathe.dot_general %xb, %wb contract [1] x [0] : tensor<?x64xf32>, tensor<64x40xf32>
  %sb = lathe.broadcast %rb dims [0] to [N, 40] : tensor<?xf32>
  %mb = lathe.mul %pb, %sb : tensor<?x40xf32>
  %tb = lathe.tanh %mb : tensor<?x40xf32>
  %ub = lathe.abs %pb : tensor<?x40xf32>
  %vb = lathe.sqrt %ub : tensor<?x40xf32>
  %eb = lathe.exp %tb : tensor<?x40xf32>
  %yb = lathe.mul %eb, %vb : tensor<?x40xf32>
  %zb = lathe.compare gt %yb, %tb : tensor<?x40xf32>
  %pc = lathe.dot_general %xc, %wc contract [1] x [0] : tensor<13x24xf64>, tensor<24x32xf64>
  %sc = lathe.broadcast %rc dims [0] to [13, 32] : tensor<13xf64>
  %mc = lathe.mul %pc, %sc : tensor<13x32xf64>
  %tc = lathe.tanh %mc : tensor<13x32xf64>
  %uc = lathe.abs %pc : tensor<13x32xf64>
  %vc = lathe.sqrt %uc : tensor<13x32xf64>
  %ec = lathe.exp %tc : tensor<13x32xf64>
  %yc = lathe.mul %ec, %vc : tensor<13x32xf64>
  %zc = lathe.compare gt %yc, %tc : tensor<13x32xf64>
  %pd = lathe.dot_general %xd, %wd contract [1] x [0] : tensor<131x512xf32>, tensor<512x64xf32>
  %sd = lathe.broadcast %rd dims [0] to [131, 64] : tensor<131xf32>
  %md = lathe.mul %pd, %sd : tensor<131x64xf32>
  %td = lathe.tanh %md : tensor<131x64xf32>
  %ud = lathe.abs %pd : tensor<131x64xf32>
  %vd = lathe.sqrt %ud : tensor<131x64xf32>
  %ed = lathe.exp %td : tensor<131x64xf32>
  %yd = lathe.mul %ed, %vd : tensor<131x64xf32>
  %zd = lathe.compare gt %yd, %td : tensor<131x64xf32>
  return %ya, %za, %yb, %zb, %yc, %zc, %yd, %zd : tensor<7x5x48xf32>, tensor<7x5x48xi1>, tensor<?x40xf32>, tensor<?x40xi1>, tensor<13x32xf64>, tensor<13x32xi1>, tensor<131x64xf32>, tensor<131x64xi1>
}

func.func @products(%xa: tensor<7x5x32xf32>, %wa: tensor<32x48xf32>, %xb: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %wb: tensor<64x40xf32>, %xc: tensor<13x24xf64>, %wc: tensor<24x32xf64>, %xd: tensor<131x512xf32>, %wd: tensor<512x64xf32>)
    -> (tensor<7x5x48xf32>, tensor<?x40xf32>, tensor<13x32xf64>, tensor<131x64xf32>) {
  %pa = lathe.dot_general %xa, %wa contract [2] x [0] : tensor<7x5x32xf32>, tensor<32x48xf32>
  %pb = lathe.dot_general %xb, %wb contract [1] x [0] : tensor<?x64xf32>, tensor<64x40xf32>
  %pc = lathe.dot_general %xc, %wc contract [1] x [0] : tensor<13x24xf64>, tensor<24x32xf64>
  %pd = lathe.dot_general %xd, %wd contract [1] x [0] : tensor<131x512xf32>, tensor<512x64xf32>
  return %pa, %pb, %pc, %pd : tensor<7x5x48xf32>, tensor<?x40xf32>, tensor<13x32xf64>, tensor<131x64xf32>
}

func.func @behind(%pa: tensor<7x5x48xf32>, %ra: tensor<7x5xf32>, %pb: tensor<?x40xf32> {lathe.dims = #lathe.dims<N>}, %rb: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %pc: tensor<13x32xf64>, %rc: tensor<13xf64>, %pd: tensor<131x64xf32>, %rd: tensor<131xf32>)
    -> (tensor<7x5x48xf32>, tensor<7x5x48xi1>, tensor<?x40xf32>, tensor<?x40xi1>, tensor<13x32xf64>, tensor<13x32xi1>, tensor<131x64xf32>, tensor<131x64xi1>) {
  %sa = lathe.broadcast %ra dims [0, 1] to [7, 5, 48] : tensor<7x5xf32>
  %ma = lathe.mul %pa, %sa : tensor<7x5x48xf32>
  %ta = lathe.tanh %ma : tensor<7x5x48xf32>
  %ua = lathe.abs %pa : tensor<7x5x48xf32>
  %va = lathe.sqrt %ua : tensor<7x5x48xf32>
  %ea = lathe.exp %ta : tensor<7x5x48xf32>
  %ya = lathe.mul %ea, %va : tensor<7x5x48xf32>
  %za = lathe.compare gt %ya, %ta : tensor<7x5x48xf32>
  %sb = lathe.broadcast %rb dims [0] to [N, 40] : tensor<?xf32>
  %mb = lathe.mul %pb, %sb : tensor<?x40xf32>
  %tb = lathe.tanh %mb : tensor<?x40xf32>
  %ub = lathe.abs %pb : tensor<?x40xf32>
  %vb = lathe.sqrt %ub : tensor<?x40xf32>
  %eb = lathe.exp %tb : tensor<?x40xf32>
  %yb = lathe.mul %eb, %vb : tensor<?x40xf32>
  %zb = lathe.compare gt %yb, %tb : tensor<?x40xf32>
  %sc = lathe.broadcast %rc dims [0] to [13, 32] : tensor<13xf64>
  %mc = lathe.mul %pc, %sc : tensor<13x32xf64>
  %tc = lathe.tanh %mc : tensor<13x32xf64>
  %uc = lathe.abs %pc : tensor<13x32xf64>
  %vc = lathe.sqrt %uc : tensor<13x32xf64>
  %ec = lathe.exp %tc : tensor<13x32xf64>
  %yc = lathe.mul %ec, %vc : tensor<13x32xf64>
  %zc = lathe.compare gt %yc, %tc : tensor<13x32xf64>
  %sd = lathe.broadcast %rd dims [0] to [131, 64] : tensor<131xf32>
  %md = lathe.mul %pd, %sd : tensor<131x64xf32>
  %td = lathe.tanh %md : tensor<131x64xf32>
  %ud = lathe.abs %pd : tensor<131x64xf32>
  %vd = lathe.sqrt %ud : tensor<131x64xf32>
  %ed = lathe.exp %td : tensor<131x64xf32>
  %yd = lathe.mul %ed, %vd : tensor<131x64xf32>
  %zd = lathe.compare gt %yd, %td : tensor<131x64xf32>
  return %ya, %za, %yb, %zb, %yc, %zc, %yd, %zd : tensor<7x5x48xf32>, tensor<7x5x48xi1>, tensor<?x40xf32>, tensor<?x40xi1>, tensor<13x32xf64>, tensor<13x32xi1>, tensor<131x64xf32>, tensor<131x64xi1>
}

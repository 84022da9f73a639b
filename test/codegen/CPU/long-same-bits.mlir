// Sums of many chains have the same bits for named sizes as in a version for these, in which tiles take the place of loop nests, on
// more threads, and alone as in a kernel with others. Rows that are shorter than a chain, longer, and as long.
// RUN: lathe-run %s sums_data --random --dim H=70 --dim W=33 --output of_x=@%t.tall.x.npy --output of_y=@%t.tall.y.npy
// RUN: lathe-run %s sums --input x=@%t.tall.x.npy --input y=@%t.tall.y.npy --output a=@%t.tall.a.npy --output b=@%t.tall.b.npy --output c=@%t.tall.c.npy --output d=@%t.tall.d.npy --output e=@%t.tall.e.npy --output f=@%t.tall.f.npy
// RUN: lathe-run %s sums --input x=@%t.tall.x.npy --input y=@%t.tall.y.npy --specialize H=70 --specialize W=33 --expect a=@%t.tall.a.npy --expect b=@%t.tall.b.npy --expect c=@%t.tall.c.npy --expect d=@%t.tall.d.npy --expect e=@%t.tall.e.npy --expect f=@%t.tall.f.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums --input x=@%t.tall.x.npy --input y=@%t.tall.y.npy --specialize W=33 --threads 3 --expect a=@%t.tall.a.npy --expect b=@%t.tall.b.npy --expect c=@%t.tall.c.npy --expect d=@%t.tall.d.npy --expect e=@%t.tall.e.npy --expect f=@%t.tall.f.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums_data --random --dim H=5 --dim W=2048 --output of_x=@%t.wide.x.npy --output of_y=@%t.wide.y.npy
// RUN: lathe-run %s sums --input x=@%t.wide.x.npy --input y=@%t.wide.y.npy --output a=@%t.wide.a.npy --output b=@%t.wide.b.npy --output c=@%t.wide.c.npy --output d=@%t.wide.d.npy --output e=@%t.wide.e.npy --output f=@%t.wide.f.npy
// RUN: lathe-run %s sums --input x=@%t.wide.x.npy --input y=@%t.wide.y.npy --specialize H=5 --specialize W=2048 --threads 2 --expect a=@%t.wide.a.npy --expect b=@%t.wide.b.npy --expect c=@%t.wide.c.npy --expect d=@%t.wide.d.npy --expect e=@%t.wide.e.npy --expect f=@%t.wide.f.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums_data --random --dim H=33 --dim W=1 --output of_x=@%t.thin.x.npy --output of_y=@%t.thin.y.npy
// RUN: lathe-run %s sums --input x=@%t.thin.x.npy --input y=@%t.thin.y.npy --output a=@%t.thin.a.npy --output b=@%t.thin.b.npy --output c=@%t.thin.c.npy --output d=@%t.thin.d.npy --output e=@%t.thin.e.npy --output f=@%t.thin.f.npy
// RUN: lathe-run %s sums --input x=@%t.thin.x.npy --input y=@%t.thin.y.npy --specialize W=1 --expect a=@%t.thin.a.npy --expect b=@%t.thin.b.npy --expect c=@%t.thin.c.npy --expect d=@%t.thin.d.npy --expect e=@%t.thin.e.npy --expect f=@%t.thin.f.npy --rtol 0 --atol 0
// RUN: lathe-run %s products_data --random --dim H=7 --dim W=301 --output of_x=@%t.long.x.npy --output of_y=@%t.long.y.npy --output of_z=@%t.long.z.npy --output of_w=@%t.long.w.npy
// RUN: lathe-run %s products --input x=@%t.long.x.npy --input y=@%t.long.y.npy --input z=@%t.long.z.npy --input w=@%t.long.w.npy --output a=@%t.long.a.npy --output b=@%t.long.b.npy --output c=@%t.long.c.npy --output d=@%t.long.d.npy
// RUN: lathe-run %s products --input x=@%t.long.x.npy --input y=@%t.long.y.npy --input z=@%t.long.z.npy --input w=@%t.long.w.npy --specialize H=7 --specialize W=301 --expect a=@%t.long.a.npy --expect b=@%t.long.b.npy --expect c=@%t.long.c.npy --expect d=@%t.long.d.npy --rtol 0 --atol 0
// RUN: lathe-run %s products --input x=@%t.long.x.npy --input y=@%t.long.y.npy --input z=@%t.long.z.npy --input w=@%t.long.w.npy --specialize H=7 --threads 3 --expect a=@%t.long.a.npy --expect b=@%t.long.b.npy --expect c=@%t.long.c.npy --expect d=@%t.long.d.npy --rtol 0 --atol 0
// RUN: lathe-run %s products_data --random --dim H=90 --dim W=50 --output of_x=@%t.short.x.npy --output of_y=@%t.short.y.npy --output of_z=@%t.short.z.npy --output of_w=@%t.short.w.npy
// RUN: lathe-run %s products --input x=@%t.short.x.npy --input y=@%t.short.y.npy --input z=@%t.short.z.npy --input w=@%t.short.w.npy --output a=@%t.short.a.npy --output b=@%t.short.b.npy --output c=@%t.short.c.npy --output d=@%t.short.d.npy
// RUN: lathe-run %s products --input x=@%t.short.x.npy --input y=@%t.short.y.npy --input z=@%t.short.z.npy --input w=@%t.short.w.npy --specialize H=90 --specialize W=50 --threads 2 --expect a=@%t.short.a.npy --expect b=@%t.short.b.npy --expect c=@%t.short.c.npy --expect d=@%t.short.d.npy --rtol 0 --atol 0
// RUN: lathe-run %s images_data --random --dim H=21 --dim W=30 --output of_x=@%t.small.x.npy --output of_w=@%t.small.w.npy --output of_u=@%t.small.u.npy --output of_v=@%t.small.v.npy
// RUN: lathe-run %s images --input x=@%t.small.x.npy --input w=@%t.small.w.npy --input u=@%t.small.u.npy --input v=@%t.small.v.npy --output r=@%t.small.r.npy --output dw=@%t.small.dw.npy --output s=@%t.small.s.npy --output dv=@%t.small.dv.npy
// RUN: lathe-run %s images --input x=@%t.small.x.npy --input w=@%t.small.w.npy --input u=@%t.small.u.npy --input v=@%t.small.v.npy --specialize H=21 --specialize W=30 --expect r=@%t.small.r.npy --expect dw=@%t.small.dw.npy --expect s=@%t.small.s.npy --expect dv=@%t.small.dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s images --input x=@%t.small.x.npy --input w=@%t.small.w.npy --input u=@%t.small.u.npy --input v=@%t.small.v.npy --specialize H=21 --specialize W=30 --threads 3 --expect r=@%t.small.r.npy --expect dw=@%t.small.dw.npy --expect s=@%t.small.s.npy --expect dv=@%t.small.dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s images_data --random --dim H=9 --dim W=1100 --output of_x=@%t.large.x.npy --output of_w=@%t.large.w.npy --output of_u=@%t.large.u.npy --output of_v=@%t.large.v.npy
// RUN: lathe-run %s images --input x=@%t.large.x.npy --input w=@%t.large.w.npy --input u=@%t.large.u.npy --input v=@%t.large.v.npy --output r=@%t.large.r.npy --output dw=@%t.large.dw.npy --output s=@%t.large.s.npy --output dv=@%t.large.dv.npy
// RUN: lathe-run %s images --input x=@%t.large.x.npy --input w=@%t.large.w.npy --input u=@%t.large.u.npy --input v=@%t.large.v.npy --specialize H=9 --specialize W=1100 --expect r=@%t.large.r.npy --expect dw=@%t.large.dw.npy --expect s=@%t.large.s.npy --expect dv=@%t.large.dv.npy --rtol 0 --atol 0

lathe.dim @H, 1 to 4096
lathe.dim @W, 1 to 4096

func.func @sums_data(%x: tensor<3x?x?x20xf32> {lathe.dims = #lathe.dims<H, W>}, %y: tensor<?x?xf64> {lathe.dims = #lathe.dims<H, W>})
    -> (tensor<3x?x?x20xf32> {lathe.name = "of_x"}, tensor<?x?xf64> {lathe.name = "of_y"}) {
  %0 = lathe.neg %x : tensor<3x?x?x20xf32>
  %1 = lathe.neg %y : tensor<?x?xf64>
  return %0, %1 : tensor<3x?x?x20xf32>, tensor<?x?xf64>
}
func.func @sums(%x: tensor<3x?x?x20xf32> {lathe.dims = #lathe.dims<H, W>}, %y: tensor<?x?xf64> {lathe.dims = #lathe.dims<H, W>})
    -> (tensor<3x20xf32> {lathe.name = "a"}, tensor<?x20xf32> {lathe.name = "b"}, tensor<3xf32> {lathe.name = "c"}, tensor<?xf32> {lathe.name = "d"},
        tensor<?xf64> {lathe.name = "e"}, tensor<?x?xf64> {lathe.name = "f"}) {
  %a = lathe.reduce sum %x dims [1, 2] : tensor<3x?x?x20xf32>
  %b = lathe.reduce sum %x dims [0, 1] : tensor<3x?x?x20xf32>
  %c = lathe.reduce sum %x dims [1, 2, 3] : tensor<3x?x?x20xf32>
  %d = lathe.reduce sum %x dims [0, 2, 3] : tensor<3x?x?x20xf32>
  %e = lathe.reduce sum %y dims [0] : tensor<?x?xf64>
  %f = lathe.std.softmax %y : tensor<?x?xf64>
  return %a, %b, %c, %d, %e, %f : tensor<3x20xf32>, tensor<?x20xf32>, tensor<3xf32>, tensor<?xf32>, tensor<?xf64>, tensor<?x?xf64>
}

func.func @products_data(%x: tensor<5x?x?xf32> {lathe.dims = #lathe.dims<H, W>}, %y: tensor<?x?x40xf32> {lathe.dims = #lathe.dims<H, W>}, %z: tensor<?x900xf32> {lathe.dims = #lathe.dims<H>}, %w: tensor<900x70xf32>)
    -> (tensor<5x?x?xf32> {lathe.name = "of_x"}, tensor<?x?x40xf32> {lathe.name = "of_y"}, tensor<?x900xf32> {lathe.name = "of_z"}, tensor<900x70xf32> {lathe.name = "of_w"}) {
  %0 = lathe.neg %x : tensor<5x?x?xf32>
  %1 = lathe.neg %y : tensor<?x?x40xf32>
  %2 = lathe.neg %z : tensor<?x900xf32>
  %3 = lathe.neg %w : tensor<900x70xf32>
  return %0, %1, %2, %3 : tensor<5x?x?xf32>, tensor<?x?x40xf32>, tensor<?x900xf32>, tensor<900x70xf32>
}
func.func @products(%x: tensor<5x?x?xf32> {lathe.dims = #lathe.dims<H, W>}, %y: tensor<?x?x40xf32> {lathe.dims = #lathe.dims<H, W>},
                    %z: tensor<?x900xf32> {lathe.dims = #lathe.dims<H>}, %w: tensor<900x70xf32>)
    -> (tensor<5x40xf32> {lathe.name = "a"}, tensor<?x70xf32> {lathe.name = "b"}, tensor<900x900xf32> {lathe.name = "c"}, tensor<5xf32> {lathe.name = "d"}) {
  %a = lathe.dot_general %x, %y contract [1, 2] x [0, 1] : tensor<5x?x?xf32>, tensor<?x?x40xf32>
  %b = lathe.dot_general %z, %w contract [1] x [0] : tensor<?x900xf32>, tensor<900x70xf32>
  %c = lathe.dot_general %z, %z contract [0] x [0] : tensor<?x900xf32>, tensor<?x900xf32>
  %squares = lathe.dot_general %x, %x contract [1, 2] x [1, 2] batch [0] x [0] : tensor<5x?x?xf32>, tensor<5x?x?xf32>
  return %a, %b, %c, %squares : tensor<5x40xf32>, tensor<?x70xf32>, tensor<900x900xf32>, tensor<5xf32>
}

func.func @images_data(%x: tensor<2x?x?x300xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<1x3x300x5xf32>, %u: tensor<2x?x?x5xf32> {lathe.dims = #lathe.dims<H, W>}, %v: tensor<3x141x1x5xf32>)
    -> (tensor<2x?x?x300xf32> {lathe.name = "of_x"}, tensor<1x3x300x5xf32> {lathe.name = "of_w"}, tensor<2x?x?x5xf32> {lathe.name = "of_u"}, tensor<3x141x1x5xf32> {lathe.name = "of_v"}) {
  %0 = lathe.neg %x : tensor<2x?x?x300xf32>
  %1 = lathe.neg %w : tensor<1x3x300x5xf32>
  %2 = lathe.neg %u : tensor<2x?x?x5xf32>
  %3 = lathe.neg %v : tensor<3x141x1x5xf32>
  return %0, %1, %2, %3 : tensor<2x?x?x300xf32>, tensor<1x3x300x5xf32>, tensor<2x?x?x5xf32>, tensor<3x141x1x5xf32>
}
// Nests where the sizes have names, tiles where they are known. Each tap of the first filter has more channels than a chain, each
// line of the second more taps than half of one.
func.func @images(%x: tensor<2x?x?x300xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<1x3x300x5xf32>,
                  %u: tensor<2x?x?x5xf32> {lathe.dims = #lathe.dims<H, W>}, %v: tensor<3x141x1x5xf32>)
    -> (tensor<2x?x?x5xf32> {lathe.name = "r"}, tensor<1x3x300x5xf32> {lathe.name = "dw"},
        tensor<2x?x?x5xf32> {lathe.name = "s"}, tensor<3x141x1x5xf32> {lathe.name = "dv"}) {
  %y = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [1, 1]] : tensor<2x?x?x300xf32>, tensor<1x3x300x5xf32>
  %dw = lathe.conv_filter_grad %x, %u filter [1, 3] stride [1, 1] pad [[0, 0], [1, 1]] : tensor<2x?x?x300xf32>, tensor<2x?x?x5xf32>
  %z = lathe.conv %u, %v stride [1, 1] pad [[1, 1], [70, 70]] groups 5 : tensor<2x?x?x5xf32>, tensor<3x141x1x5xf32>
  %dv = lathe.conv_filter_grad %u, %u filter [3, 141] stride [1, 1] pad [[1, 1], [70, 70]] groups 5 : tensor<2x?x?x5xf32>, tensor<2x?x?x5xf32>
  return %y, %dw, %z, %dv : tensor<2x?x?x5xf32>, tensor<1x3x300x5xf32>, tensor<2x?x?x5xf32>, tensor<3x141x1x5xf32>
}

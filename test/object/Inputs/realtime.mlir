// Work for two threads, a function of the application's, and a print.
func.func @spread(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x65536xf32> {lathe.name = "y"}) {
  %tapped = lathe.extern @tap(%x) dims [N] : (tensor<?xf32>) -> tensor<?xf32>
  lathe.print %tapped "tapped" : tensor<?xf32>
  %all = lathe.broadcast %tapped dims [0] to [N, 65536] : tensor<?xf32>
  %each = lathe.exp %all : tensor<?x65536xf32>
  %place = lathe.iota dim 1 to [N, 65536] : f32
  %angle = lathe.mul %each, %place : tensor<?x65536xf32>
  %y = lathe.sin %angle : tensor<?x65536xf32>
  return %y : tensor<?x65536xf32>
}

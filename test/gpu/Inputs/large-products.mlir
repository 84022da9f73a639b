// Products of many tiles, with what transformers do with them: no register may be spilled, no product be waited for.
func.func @plain(%x: tensor<?x4096xbf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<4096x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4096xbf16>, tensor<4096x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

func.func @square(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>
  return %0 : tensor<8192x8192xbf16>
}

func.func @layer(%x: tensor<?x1024xbf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<1024x4096xbf16>, %b: tensor<4096xbf16>)
    -> tensor<?x4096xbf16> {
  %0 = lathe.std.linear %x, %w bias %b : tensor<?x1024xbf16>, tensor<1024x4096xbf16>, tensor<4096xbf16>
  %1 = lathe.std.gelu %0 : tensor<?x4096xbf16>
  return %1 : tensor<?x4096xbf16>
}

func.func @gradient(%x: tensor<?x1024xbf16> {lathe.dims = #lathe.dims<N>}, %dy: tensor<?x4096xbf16> {lathe.dims = #lathe.dims<N>},
                    %w: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
  %0 = lathe.convert %x to f32 : tensor<?x1024xbf16>
  %1 = lathe.convert %dy to f32 : tensor<?x4096xbf16>
  %2 = lathe.dot_general %0, %1 contract [0] x [0] : tensor<?x1024xf32>, tensor<?x4096xf32>
  %3 = lathe.add %w, %2 : tensor<1024x4096xf32>, tensor<1024x4096xf32>
  return %3 : tensor<1024x4096xf32>
}

func.func @attention(%q: tensor<4x2048x16x64xbf16>, %k: tensor<4x16x64x2048xbf16>, %v: tensor<4x16x2048x64xbf16>)
    -> (tensor<4x16x2048x2048xbf16>, tensor<4x16x2048x64xbf16>) {
  %0 = lathe.dot_general %q, %k contract [3] x [2] batch [0, 2] x [0, 1] : tensor<4x2048x16x64xbf16>, tensor<4x16x64x2048xbf16>
  %1 = lathe.dot_general %0, %v contract [3] x [2] batch [0, 1] x [0, 1] : tensor<4x16x2048x2048xbf16>, tensor<4x16x2048x64xbf16>
  return %0, %1 : tensor<4x16x2048x2048xbf16>, tensor<4x16x2048x64xbf16>
}

func.func @halves(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>, %r: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<4096x4096xf16>, tensor<4096x4096xf16>
  %1 = lathe.add %0, %r : tensor<4096x4096xf16>, tensor<4096x4096xf16>
  return %1 : tensor<4096x4096xf16>
}

func.func @single_layer(%x: tensor<?x1024xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<1024x4096xf32>, %b: tensor<4096xf32>)
    -> tensor<?x4096xf32> {
  %0 = lathe.std.linear %x, %w bias %b : tensor<?x1024xf32>, tensor<1024x4096xf32>, tensor<4096xf32>
  %1 = lathe.std.gelu %0 : tensor<?x4096xf32>
  return %1 : tensor<?x4096xf32>
}

func.func @single_gradient(%x: tensor<?x1024xf32> {lathe.dims = #lathe.dims<N>},
                           %dy: tensor<?x4096xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<1024x4096xf32>)
    -> tensor<1024x4096xf32> {
  %0 = lathe.dot_general %x, %dy contract [0] x [0] : tensor<?x1024xf32>, tensor<?x4096xf32>
  %1 = lathe.add %w, %0 : tensor<1024x4096xf32>, tensor<1024x4096xf32>
  return %1 : tensor<1024x4096xf32>
}

func.func @single_attention(%q: tensor<4x2048x16x64xf32>, %k: tensor<4x2048x16x64xf32>, %v: tensor<4x16x2048x64xf32>)
    -> (tensor<4x16x2048x2048xf32>, tensor<4x16x2048x64xf32>) {
  %0 = lathe.dot_general %q, %k contract [3] x [3] batch [0, 2] x [0, 2] : tensor<4x2048x16x64xf32>, tensor<4x2048x16x64xf32>
  %1 = lathe.dot_general %0, %v contract [3] x [2] batch [0, 1] x [0, 1] : tensor<4x16x2048x2048xf32>, tensor<4x16x2048x64xf32>
  return %0, %1 : tensor<4x16x2048x2048xf32>, tensor<4x16x2048x64xf32>
}

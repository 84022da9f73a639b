// Ten layers that learn handwritten digits: 3x3 convolutions with ReLU, the mean over the image, a dense layer, softmax.
// Entries: @init(seed), made from the initialisers; @train_step, one step of Adam in place; @predict, class probabilities.
lathe.dim @N, 1 to 4096

lathe.variable @conv1.w : tensor<3x3x1x16xf32> init #lathe.he_normal
lathe.variable @conv1.b : tensor<16xf32> init #lathe.zeros
lathe.variable @conv2.w : tensor<3x3x16x16xf32> init #lathe.he_normal
lathe.variable @conv2.b : tensor<16xf32> init #lathe.zeros
lathe.variable @conv3.w : tensor<3x3x16x32xf32> init #lathe.he_normal
lathe.variable @conv3.b : tensor<32xf32> init #lathe.zeros
lathe.variable @conv4.w : tensor<3x3x32x32xf32> init #lathe.he_normal
lathe.variable @conv4.b : tensor<32xf32> init #lathe.zeros
lathe.variable @conv5.w : tensor<3x3x32x64xf32> init #lathe.he_normal
lathe.variable @conv5.b : tensor<64xf32> init #lathe.zeros
lathe.variable @conv6.w : tensor<3x3x64x64xf32> init #lathe.he_normal
lathe.variable @conv6.b : tensor<64xf32> init #lathe.zeros
lathe.variable @conv7.w : tensor<3x3x64x64xf32> init #lathe.he_normal
lathe.variable @conv7.b : tensor<64xf32> init #lathe.zeros
lathe.variable @conv8.w : tensor<3x3x64x64xf32> init #lathe.he_normal
lathe.variable @conv8.b : tensor<64xf32> init #lathe.zeros
lathe.variable @conv9.w : tensor<3x3x64x64xf32> init #lathe.he_normal
lathe.variable @conv9.b : tensor<64xf32> init #lathe.zeros
lathe.variable @conv10.w : tensor<3x3x64x64xf32> init #lathe.he_normal
lathe.variable @conv10.b : tensor<64xf32> init #lathe.zeros
lathe.variable @dense.w : tensor<64x10xf32> init #lathe.he_normal
lathe.variable @dense.b : tensor<10xf32> init #lathe.zeros

func.func private @logits(%image: tensor<?x16x16x1xf32>) -> tensor<?x10xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>

  %w1 = lathe.read @conv1.w : tensor<3x3x1x16xf32>
  %b1 = lathe.read @conv1.b : tensor<16xf32>
  %c1 = lathe.conv %image, %w1 stride [1, 1] pad same : tensor<?x16x16x1xf32>, tensor<3x3x1x16xf32>
  %z1 = lathe.add %c1, %b1 : tensor<?x16x16x16xf32>, tensor<16xf32>
  %p1 = lathe.compare gt %z1, %zero : tensor<?x16x16x16xf32>, tensor<f32>
  %x1 = lathe.select %p1, %z1, %zero : tensor<?x16x16x16xi1>, tensor<?x16x16x16xf32>, tensor<f32>

  %w2 = lathe.read @conv2.w : tensor<3x3x16x16xf32>
  %b2 = lathe.read @conv2.b : tensor<16xf32>
  %c2 = lathe.conv %x1, %w2 stride [1, 1] pad same : tensor<?x16x16x16xf32>, tensor<3x3x16x16xf32>
  %z2 = lathe.add %c2, %b2 : tensor<?x16x16x16xf32>, tensor<16xf32>
  %p2 = lathe.compare gt %z2, %zero : tensor<?x16x16x16xf32>, tensor<f32>
  %x2 = lathe.select %p2, %z2, %zero : tensor<?x16x16x16xi1>, tensor<?x16x16x16xf32>, tensor<f32>

  %w3 = lathe.read @conv3.w : tensor<3x3x16x32xf32>
  %b3 = lathe.read @conv3.b : tensor<32xf32>
  %c3 = lathe.conv %x2, %w3 stride [1, 1] pad same : tensor<?x16x16x16xf32>, tensor<3x3x16x32xf32>
  %z3 = lathe.add %c3, %b3 : tensor<?x16x16x32xf32>, tensor<32xf32>
  %p3 = lathe.compare gt %z3, %zero : tensor<?x16x16x32xf32>, tensor<f32>
  %x3 = lathe.select %p3, %z3, %zero : tensor<?x16x16x32xi1>, tensor<?x16x16x32xf32>, tensor<f32>

  %w4 = lathe.read @conv4.w : tensor<3x3x32x32xf32>
  %b4 = lathe.read @conv4.b : tensor<32xf32>
  %c4 = lathe.conv %x3, %w4 stride [2, 2] pad same : tensor<?x16x16x32xf32>, tensor<3x3x32x32xf32>
  %z4 = lathe.add %c4, %b4 : tensor<?x8x8x32xf32>, tensor<32xf32>
  %p4 = lathe.compare gt %z4, %zero : tensor<?x8x8x32xf32>, tensor<f32>
  %x4 = lathe.select %p4, %z4, %zero : tensor<?x8x8x32xi1>, tensor<?x8x8x32xf32>, tensor<f32>

  %w5 = lathe.read @conv5.w : tensor<3x3x32x64xf32>
  %b5 = lathe.read @conv5.b : tensor<64xf32>
  %c5 = lathe.conv %x4, %w5 stride [1, 1] pad same : tensor<?x8x8x32xf32>, tensor<3x3x32x64xf32>
  %z5 = lathe.add %c5, %b5 : tensor<?x8x8x64xf32>, tensor<64xf32>
  %p5 = lathe.compare gt %z5, %zero : tensor<?x8x8x64xf32>, tensor<f32>
  %x5 = lathe.select %p5, %z5, %zero : tensor<?x8x8x64xi1>, tensor<?x8x8x64xf32>, tensor<f32>

  %w6 = lathe.read @conv6.w : tensor<3x3x64x64xf32>
  %b6 = lathe.read @conv6.b : tensor<64xf32>
  %c6 = lathe.conv %x5, %w6 stride [1, 1] pad same : tensor<?x8x8x64xf32>, tensor<3x3x64x64xf32>
  %z6 = lathe.add %c6, %b6 : tensor<?x8x8x64xf32>, tensor<64xf32>
  %p6 = lathe.compare gt %z6, %zero : tensor<?x8x8x64xf32>, tensor<f32>
  %x6 = lathe.select %p6, %z6, %zero : tensor<?x8x8x64xi1>, tensor<?x8x8x64xf32>, tensor<f32>

  %w7 = lathe.read @conv7.w : tensor<3x3x64x64xf32>
  %b7 = lathe.read @conv7.b : tensor<64xf32>
  %c7 = lathe.conv %x6, %w7 stride [2, 2] pad same : tensor<?x8x8x64xf32>, tensor<3x3x64x64xf32>
  %z7 = lathe.add %c7, %b7 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %p7 = lathe.compare gt %z7, %zero : tensor<?x4x4x64xf32>, tensor<f32>
  %x7 = lathe.select %p7, %z7, %zero : tensor<?x4x4x64xi1>, tensor<?x4x4x64xf32>, tensor<f32>

  %w8 = lathe.read @conv8.w : tensor<3x3x64x64xf32>
  %b8 = lathe.read @conv8.b : tensor<64xf32>
  %c8 = lathe.conv %x7, %w8 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z8 = lathe.add %c8, %b8 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %p8 = lathe.compare gt %z8, %zero : tensor<?x4x4x64xf32>, tensor<f32>
  %x8 = lathe.select %p8, %z8, %zero : tensor<?x4x4x64xi1>, tensor<?x4x4x64xf32>, tensor<f32>

  %w9 = lathe.read @conv9.w : tensor<3x3x64x64xf32>
  %b9 = lathe.read @conv9.b : tensor<64xf32>
  %c9 = lathe.conv %x8, %w9 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z9 = lathe.add %c9, %b9 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %p9 = lathe.compare gt %z9, %zero : tensor<?x4x4x64xf32>, tensor<f32>
  %x9 = lathe.select %p9, %z9, %zero : tensor<?x4x4x64xi1>, tensor<?x4x4x64xf32>, tensor<f32>

  %w10 = lathe.read @conv10.w : tensor<3x3x64x64xf32>
  %b10 = lathe.read @conv10.b : tensor<64xf32>
  %c10 = lathe.conv %x9, %w10 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z10 = lathe.add %c10, %b10 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %p10 = lathe.compare gt %z10, %zero : tensor<?x4x4x64xf32>, tensor<f32>
  %x10 = lathe.select %p10, %z10, %zero : tensor<?x4x4x64xi1>, tensor<?x4x4x64xf32>, tensor<f32>

  %sum = lathe.reduce sum %x10 dims [1, 2] : tensor<?x4x4x64xf32>
  %share = lathe.constant dense<0.0625> : tensor<f32>
  %mean = lathe.mul %sum, %share : tensor<?x64xf32>, tensor<f32>
  %w = lathe.read @dense.w : tensor<64x10xf32>
  %b = lathe.read @dense.b : tensor<10xf32>
  %product = lathe.dot_general %mean, %w contract [1] x [0] : tensor<?x64xf32>, tensor<64x10xf32>
  %logits = lathe.add %product, %b : tensor<?x10xf32>, tensor<10xf32>
  return %logits : tensor<?x10xf32>
}

// Logits less their largest, so that no exponential overflows.
func.func private @shifted(%logits: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %largest = lathe.reduce max %logits dims [1] : tensor<?x10xf32>
  %fixed = lathe.stop_gradient %largest : tensor<?xf32>
  %wide = lathe.broadcast %fixed dims [0] to [N, 10] : tensor<?xf32>
  %shifted = lathe.sub %logits, %wide : tensor<?x10xf32>
  return %shifted : tensor<?x10xf32>
}

func.func private @loss(%image: tensor<?x16x16x1xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %logits = call @logits(%image) : (tensor<?x16x16x1xf32>) -> tensor<?x10xf32>
  %shifted = call @shifted(%logits) : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %exp = lathe.exp %shifted : tensor<?x10xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<?x10xf32>
  %log = lathe.log %total : tensor<?xf32>
  %right = lathe.gather %shifted, %label axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>
  %each = lathe.sub %log, %right : tensor<?xf32>
  %sum = lathe.reduce sum %each dims [0] : tensor<?xf32>
  %count = lathe.dim_size %image dim 0 : tensor<?x16x16x1xf32>
  %n = lathe.convert %count to f32 : tensor<i64>
  %loss = lathe.div %sum, %n : tensor<f32>
  return %loss : tensor<f32>
}

func.func @train_step(%image: tensor<?x16x16x1xf32> {lathe.dims = #lathe.dims<N>},
                      %label: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %learning_rate: tensor<f32>) -> tensor<f32> {
  %loss = lathe.minimize @loss(%image, %label) with adam<> learning_rate %learning_rate : tensor<f32>
      : (tensor<?x16x16x1xf32>, tensor<?xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @predict(%image: tensor<?x16x16x1xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x10xf32> {
  %logits = call @logits(%image) : (tensor<?x16x16x1xf32>) -> tensor<?x10xf32>
  %shifted = call @shifted(%logits) : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %exp = lathe.exp %shifted : tensor<?x10xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<?x10xf32>
  %wide = lathe.broadcast %total dims [0] to [N, 10] : tensor<?xf32>
  %probability = lathe.div %exp, %wide : tensor<?x10xf32>
  return %probability : tensor<?x10xf32>
}

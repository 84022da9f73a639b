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
  %w1 = lathe.read @conv1.w : tensor<3x3x1x16xf32>
  %b1 = lathe.read @conv1.b : tensor<16xf32>
  %c1 = lathe.conv %image, %w1 stride [1, 1] pad same : tensor<?x16x16x1xf32>, tensor<3x3x1x16xf32>
  %z1 = lathe.add %c1, %b1 : tensor<?x16x16x16xf32>, tensor<16xf32>
  %x1 = lathe.std.relu %z1 : tensor<?x16x16x16xf32>

  %w2 = lathe.read @conv2.w : tensor<3x3x16x16xf32>
  %b2 = lathe.read @conv2.b : tensor<16xf32>
  %c2 = lathe.conv %x1, %w2 stride [1, 1] pad same : tensor<?x16x16x16xf32>, tensor<3x3x16x16xf32>
  %z2 = lathe.add %c2, %b2 : tensor<?x16x16x16xf32>, tensor<16xf32>
  %x2 = lathe.std.relu %z2 : tensor<?x16x16x16xf32>

  %w3 = lathe.read @conv3.w : tensor<3x3x16x32xf32>
  %b3 = lathe.read @conv3.b : tensor<32xf32>
  %c3 = lathe.conv %x2, %w3 stride [1, 1] pad same : tensor<?x16x16x16xf32>, tensor<3x3x16x32xf32>
  %z3 = lathe.add %c3, %b3 : tensor<?x16x16x32xf32>, tensor<32xf32>
  %x3 = lathe.std.relu %z3 : tensor<?x16x16x32xf32>

  %w4 = lathe.read @conv4.w : tensor<3x3x32x32xf32>
  %b4 = lathe.read @conv4.b : tensor<32xf32>
  %c4 = lathe.conv %x3, %w4 stride [2, 2] pad same : tensor<?x16x16x32xf32>, tensor<3x3x32x32xf32>
  %z4 = lathe.add %c4, %b4 : tensor<?x8x8x32xf32>, tensor<32xf32>
  %x4 = lathe.std.relu %z4 : tensor<?x8x8x32xf32>

  %w5 = lathe.read @conv5.w : tensor<3x3x32x64xf32>
  %b5 = lathe.read @conv5.b : tensor<64xf32>
  %c5 = lathe.conv %x4, %w5 stride [1, 1] pad same : tensor<?x8x8x32xf32>, tensor<3x3x32x64xf32>
  %z5 = lathe.add %c5, %b5 : tensor<?x8x8x64xf32>, tensor<64xf32>
  %x5 = lathe.std.relu %z5 : tensor<?x8x8x64xf32>

  %w6 = lathe.read @conv6.w : tensor<3x3x64x64xf32>
  %b6 = lathe.read @conv6.b : tensor<64xf32>
  %c6 = lathe.conv %x5, %w6 stride [1, 1] pad same : tensor<?x8x8x64xf32>, tensor<3x3x64x64xf32>
  %z6 = lathe.add %c6, %b6 : tensor<?x8x8x64xf32>, tensor<64xf32>
  %x6 = lathe.std.relu %z6 : tensor<?x8x8x64xf32>

  %w7 = lathe.read @conv7.w : tensor<3x3x64x64xf32>
  %b7 = lathe.read @conv7.b : tensor<64xf32>
  %c7 = lathe.conv %x6, %w7 stride [2, 2] pad same : tensor<?x8x8x64xf32>, tensor<3x3x64x64xf32>
  %z7 = lathe.add %c7, %b7 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %x7 = lathe.std.relu %z7 : tensor<?x4x4x64xf32>

  %w8 = lathe.read @conv8.w : tensor<3x3x64x64xf32>
  %b8 = lathe.read @conv8.b : tensor<64xf32>
  %c8 = lathe.conv %x7, %w8 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z8 = lathe.add %c8, %b8 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %x8 = lathe.std.relu %z8 : tensor<?x4x4x64xf32>

  %w9 = lathe.read @conv9.w : tensor<3x3x64x64xf32>
  %b9 = lathe.read @conv9.b : tensor<64xf32>
  %c9 = lathe.conv %x8, %w9 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z9 = lathe.add %c9, %b9 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %x9 = lathe.std.relu %z9 : tensor<?x4x4x64xf32>

  %w10 = lathe.read @conv10.w : tensor<3x3x64x64xf32>
  %b10 = lathe.read @conv10.b : tensor<64xf32>
  %c10 = lathe.conv %x9, %w10 stride [1, 1] pad same : tensor<?x4x4x64xf32>, tensor<3x3x64x64xf32>
  %z10 = lathe.add %c10, %b10 : tensor<?x4x4x64xf32>, tensor<64xf32>
  %x10 = lathe.std.relu %z10 : tensor<?x4x4x64xf32>

  %mean = lathe.std.mean %x10 dims [1, 2] : tensor<?x4x4x64xf32>
  %w = lathe.read @dense.w : tensor<64x10xf32>
  %b = lathe.read @dense.b : tensor<10xf32>
  %logits = lathe.std.linear %mean, %w bias %b : tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>
  return %logits : tensor<?x10xf32>
}

func.func private @loss(%image: tensor<?x16x16x1xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %logits = call @logits(%image) : (tensor<?x16x16x1xf32>) -> tensor<?x10xf32>
  %loss = lathe.std.cross_entropy %logits, %label : tensor<?x10xf32>, tensor<?xi32>
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
  %probability = lathe.std.softmax %logits : tensor<?x10xf32>
  return %probability : tensor<?x10xf32>
}

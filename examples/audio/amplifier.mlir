// A model of a guitar amplifier, sample by sample: a WaveNet (van den Oord et al. 2016) of eight layers with 8 channels and gated
// activations. Each layer sees three samples of the layer before, 1, 2, 4, ... 128 samples apart; together they see 511.
// Entries: @init(seed); @amplify, a block of any length of one stream, whose past is in @past1 to @past8; @reset, silence for a past;
// @train, one step of Adam on 16 pieces of sound and what the amplifier makes of them.
lathe.dim @N, 1 to 16777216

lathe.variable @in.w : tensor<1x8xf32> init #lathe.normal<0.0, 0.5>
lathe.variable @in.b : tensor<8xf32> init #lathe.zeros
lathe.variable @filter1 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter2 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter3 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter4 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter5 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter6 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter7 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @filter8 : tensor<3x8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @bias1 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias2 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias3 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias4 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias5 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias6 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias7 : tensor<16xf32> init #lathe.zeros
lathe.variable @bias8 : tensor<16xf32> init #lathe.zeros
lathe.variable @mix1 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix2 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix3 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix4 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix5 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix6 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix7 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @mix8 : tensor<8x16xf32> init #lathe.normal<0.0, 0.25>
lathe.variable @out.w : tensor<8x1xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @out.b : tensor<1xf32> init #lathe.zeros
// What layers have seen last: twice as many samples as two of a filter's taps are apart.
lathe.variable @past1 : tensor<1x2x8xf32> init #lathe.zeros
lathe.variable @past2 : tensor<1x4x8xf32> init #lathe.zeros
lathe.variable @past3 : tensor<1x8x8xf32> init #lathe.zeros
lathe.variable @past4 : tensor<1x16x8xf32> init #lathe.zeros
lathe.variable @past5 : tensor<1x32x8xf32> init #lathe.zeros
lathe.variable @past6 : tensor<1x64x8xf32> init #lathe.zeros
lathe.variable @past7 : tensor<1x128x8xf32> init #lathe.zeros
lathe.variable @past8 : tensor<1x256x8xf32> init #lathe.zeros

// What a layer makes of its convolution: the gated activation, and of that what goes on to the next layer and to the output.
func.func private @gate(%z: tensor<?x?x16xf32>, %bias: tensor<16xf32>, %mix: tensor<8x16xf32>, %x: tensor<?x?x8xf32>,
                        %sum: tensor<?x?x8xf32>)
    -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %all = lathe.add %z, %bias : tensor<?x?x16xf32>, tensor<16xf32>
  %signal = lathe.std.part %all index 0 of 2 : tensor<?x?x16xf32>
  %gate = lathe.std.part %all index 1 of 2 : tensor<?x?x16xf32>
  %bent = lathe.tanh %signal : tensor<?x?x8xf32>
  %open = lathe.logistic %gate : tensor<?x?x8xf32>
  %gated = lathe.mul %bent, %open : tensor<?x?x8xf32>
  %both = lathe.std.linear %gated, %mix : tensor<?x?x8xf32>, tensor<8x16xf32>
  %residual = lathe.std.part %both index 0 of 2 : tensor<?x?x16xf32>
  %skip = lathe.std.part %both index 1 of 2 : tensor<?x?x16xf32>
  %next = lathe.add %x, %residual : tensor<?x?x8xf32>
  %more = lathe.add %sum, %skip : tensor<?x?x8xf32>
  return %next, %more : tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// All layers, of sounds in rows; the sum for the output starts with what goes into the first layer. Returns the sounds, and what each layer has seen: its past and then its input.
func.func private @layers(%sound: tensor<?x?x1xf32>, %past1: tensor<?x2x8xf32>, %past2: tensor<?x4x8xf32>, %past3: tensor<?x8x8xf32>, %past4: tensor<?x16x8xf32>,
                          %past5: tensor<?x32x8xf32>, %past6: tensor<?x64x8xf32>, %past7: tensor<?x128x8xf32>, %past8: tensor<?x256x8xf32>)
    -> (tensor<?x?x1xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>,
        tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %in.w = lathe.read @in.w : tensor<1x8xf32>
  %in.b = lathe.read @in.b : tensor<8xf32>
  %x0 = lathe.std.linear %sound, %in.w bias %in.b : tensor<?x?x1xf32>, tensor<1x8xf32>, tensor<8xf32>
  %filter1 = lathe.read @filter1 : tensor<3x8x16xf32>
  %bias1 = lathe.read @bias1 : tensor<16xf32>
  %mix1 = lathe.read @mix1 : tensor<8x16xf32>
  %seen1 = lathe.concatenate %past1, %x0 dim 1 : tensor<?x2x8xf32>, tensor<?x?x8xf32>
  %z1 = lathe.conv %seen1, %filter1 stride [1] pad valid dilation [1] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x1, %sum1 = func.call @gate(%z1, %bias1, %mix1, %x0, %x0)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter2 = lathe.read @filter2 : tensor<3x8x16xf32>
  %bias2 = lathe.read @bias2 : tensor<16xf32>
  %mix2 = lathe.read @mix2 : tensor<8x16xf32>
  %seen2 = lathe.concatenate %past2, %x1 dim 1 : tensor<?x4x8xf32>, tensor<?x?x8xf32>
  %z2 = lathe.conv %seen2, %filter2 stride [1] pad valid dilation [2] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x2, %sum2 = func.call @gate(%z2, %bias2, %mix2, %x1, %sum1)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter3 = lathe.read @filter3 : tensor<3x8x16xf32>
  %bias3 = lathe.read @bias3 : tensor<16xf32>
  %mix3 = lathe.read @mix3 : tensor<8x16xf32>
  %seen3 = lathe.concatenate %past3, %x2 dim 1 : tensor<?x8x8xf32>, tensor<?x?x8xf32>
  %z3 = lathe.conv %seen3, %filter3 stride [1] pad valid dilation [4] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x3, %sum3 = func.call @gate(%z3, %bias3, %mix3, %x2, %sum2)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter4 = lathe.read @filter4 : tensor<3x8x16xf32>
  %bias4 = lathe.read @bias4 : tensor<16xf32>
  %mix4 = lathe.read @mix4 : tensor<8x16xf32>
  %seen4 = lathe.concatenate %past4, %x3 dim 1 : tensor<?x16x8xf32>, tensor<?x?x8xf32>
  %z4 = lathe.conv %seen4, %filter4 stride [1] pad valid dilation [8] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x4, %sum4 = func.call @gate(%z4, %bias4, %mix4, %x3, %sum3)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter5 = lathe.read @filter5 : tensor<3x8x16xf32>
  %bias5 = lathe.read @bias5 : tensor<16xf32>
  %mix5 = lathe.read @mix5 : tensor<8x16xf32>
  %seen5 = lathe.concatenate %past5, %x4 dim 1 : tensor<?x32x8xf32>, tensor<?x?x8xf32>
  %z5 = lathe.conv %seen5, %filter5 stride [1] pad valid dilation [16] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x5, %sum5 = func.call @gate(%z5, %bias5, %mix5, %x4, %sum4)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter6 = lathe.read @filter6 : tensor<3x8x16xf32>
  %bias6 = lathe.read @bias6 : tensor<16xf32>
  %mix6 = lathe.read @mix6 : tensor<8x16xf32>
  %seen6 = lathe.concatenate %past6, %x5 dim 1 : tensor<?x64x8xf32>, tensor<?x?x8xf32>
  %z6 = lathe.conv %seen6, %filter6 stride [1] pad valid dilation [32] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x6, %sum6 = func.call @gate(%z6, %bias6, %mix6, %x5, %sum5)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter7 = lathe.read @filter7 : tensor<3x8x16xf32>
  %bias7 = lathe.read @bias7 : tensor<16xf32>
  %mix7 = lathe.read @mix7 : tensor<8x16xf32>
  %seen7 = lathe.concatenate %past7, %x6 dim 1 : tensor<?x128x8xf32>, tensor<?x?x8xf32>
  %z7 = lathe.conv %seen7, %filter7 stride [1] pad valid dilation [64] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x7, %sum7 = func.call @gate(%z7, %bias7, %mix7, %x6, %sum6)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %filter8 = lathe.read @filter8 : tensor<3x8x16xf32>
  %bias8 = lathe.read @bias8 : tensor<16xf32>
  %mix8 = lathe.read @mix8 : tensor<8x16xf32>
  %seen8 = lathe.concatenate %past8, %x7 dim 1 : tensor<?x256x8xf32>, tensor<?x?x8xf32>
  %z8 = lathe.conv %seen8, %filter8 stride [1] pad valid dilation [128] : tensor<?x?x8xf32>, tensor<3x8x16xf32>
  %x8, %sum8 = func.call @gate(%z8, %bias8, %mix8, %x7, %sum7)
      : (tensor<?x?x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %out.w = lathe.read @out.w : tensor<8x1xf32>
  %out.b = lathe.read @out.b : tensor<1xf32>
  %y = lathe.std.linear %sum8, %out.w bias %out.b : tensor<?x?x8xf32>, tensor<8x1xf32>, tensor<1xf32>
  return %y, %seen1, %seen2, %seen3, %seen4, %seen5, %seen6, %seen7, %seen8 : tensor<?x?x1xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

func.func @amplify(%in: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32> {lathe.name = "out"}) {
  %sound = lathe.reshape %in to [1, N, 1] : tensor<?xf32>
  %past1 = lathe.read @past1 : tensor<1x2x8xf32>
  %past2 = lathe.read @past2 : tensor<1x4x8xf32>
  %past3 = lathe.read @past3 : tensor<1x8x8xf32>
  %past4 = lathe.read @past4 : tensor<1x16x8xf32>
  %past5 = lathe.read @past5 : tensor<1x32x8xf32>
  %past6 = lathe.read @past6 : tensor<1x64x8xf32>
  %past7 = lathe.read @past7 : tensor<1x128x8xf32>
  %past8 = lathe.read @past8 : tensor<1x256x8xf32>
  %y, %seen1, %seen2, %seen3, %seen4, %seen5, %seen6, %seen7, %seen8 = func.call @layers(%sound, %past1, %past2, %past3, %past4, %past5, %past6, %past7, %past8)
      : (tensor<1x?x1xf32>, tensor<1x2x8xf32>, tensor<1x4x8xf32>, tensor<1x8x8xf32>, tensor<1x16x8xf32>, tensor<1x32x8xf32>, tensor<1x64x8xf32>, tensor<1x128x8xf32>, tensor<1x256x8xf32>)
      -> (tensor<1x?x1xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>)
  %last1 = lathe.slice %seen1 from [0, N, 0] to [1, N + 2, 8] : tensor<1x?x8xf32>
  lathe.write @past1, %last1 : tensor<1x2x8xf32>
  %last2 = lathe.slice %seen2 from [0, N, 0] to [1, N + 4, 8] : tensor<1x?x8xf32>
  lathe.write @past2, %last2 : tensor<1x4x8xf32>
  %last3 = lathe.slice %seen3 from [0, N, 0] to [1, N + 8, 8] : tensor<1x?x8xf32>
  lathe.write @past3, %last3 : tensor<1x8x8xf32>
  %last4 = lathe.slice %seen4 from [0, N, 0] to [1, N + 16, 8] : tensor<1x?x8xf32>
  lathe.write @past4, %last4 : tensor<1x16x8xf32>
  %last5 = lathe.slice %seen5 from [0, N, 0] to [1, N + 32, 8] : tensor<1x?x8xf32>
  lathe.write @past5, %last5 : tensor<1x32x8xf32>
  %last6 = lathe.slice %seen6 from [0, N, 0] to [1, N + 64, 8] : tensor<1x?x8xf32>
  lathe.write @past6, %last6 : tensor<1x64x8xf32>
  %last7 = lathe.slice %seen7 from [0, N, 0] to [1, N + 128, 8] : tensor<1x?x8xf32>
  lathe.write @past7, %last7 : tensor<1x128x8xf32>
  %last8 = lathe.slice %seen8 from [0, N, 0] to [1, N + 256, 8] : tensor<1x?x8xf32>
  lathe.write @past8, %last8 : tensor<1x256x8xf32>
  %out = lathe.reshape %y to [N] : tensor<1x?x1xf32>
  return %out : tensor<?xf32>
}

func.func @reset() {
  %zero1 = lathe.constant dense<0.0> : tensor<1x2x8xf32>
  lathe.write @past1, %zero1 : tensor<1x2x8xf32>
  %zero2 = lathe.constant dense<0.0> : tensor<1x4x8xf32>
  lathe.write @past2, %zero2 : tensor<1x4x8xf32>
  %zero3 = lathe.constant dense<0.0> : tensor<1x8x8xf32>
  lathe.write @past3, %zero3 : tensor<1x8x8xf32>
  %zero4 = lathe.constant dense<0.0> : tensor<1x16x8xf32>
  lathe.write @past4, %zero4 : tensor<1x16x8xf32>
  %zero5 = lathe.constant dense<0.0> : tensor<1x32x8xf32>
  lathe.write @past5, %zero5 : tensor<1x32x8xf32>
  %zero6 = lathe.constant dense<0.0> : tensor<1x64x8xf32>
  lathe.write @past6, %zero6 : tensor<1x64x8xf32>
  %zero7 = lathe.constant dense<0.0> : tensor<1x128x8xf32>
  lathe.write @past7, %zero7 : tensor<1x128x8xf32>
  %zero8 = lathe.constant dense<0.0> : tensor<1x256x8xf32>
  lathe.write @past8, %zero8 : tensor<1x256x8xf32>
  return
}

// The error's share of the wanted sound's energy. Nothing came before a piece, so its first 512 samples do not count.
func.func private @loss(%in: tensor<16x2560xf32>, %wanted: tensor<16x2560xf32>) -> tensor<f32> {
  %sound = lathe.reshape %in to [16, 2560, 1] : tensor<16x2560xf32>
  %past1 = lathe.constant dense<0.0> : tensor<16x2x8xf32>
  %past2 = lathe.constant dense<0.0> : tensor<16x4x8xf32>
  %past3 = lathe.constant dense<0.0> : tensor<16x8x8xf32>
  %past4 = lathe.constant dense<0.0> : tensor<16x16x8xf32>
  %past5 = lathe.constant dense<0.0> : tensor<16x32x8xf32>
  %past6 = lathe.constant dense<0.0> : tensor<16x64x8xf32>
  %past7 = lathe.constant dense<0.0> : tensor<16x128x8xf32>
  %past8 = lathe.constant dense<0.0> : tensor<16x256x8xf32>
  %y, %seen1, %seen2, %seen3, %seen4, %seen5, %seen6, %seen7, %seen8 = func.call @layers(%sound, %past1, %past2, %past3, %past4, %past5, %past6, %past7, %past8)
      : (tensor<16x2560x1xf32>, tensor<16x2x8xf32>, tensor<16x4x8xf32>, tensor<16x8x8xf32>, tensor<16x16x8xf32>,
         tensor<16x32x8xf32>, tensor<16x64x8xf32>, tensor<16x128x8xf32>, tensor<16x256x8xf32>)
      -> (tensor<16x2560x1xf32>, tensor<16x2562x8xf32>, tensor<16x2564x8xf32>, tensor<16x2568x8xf32>, tensor<16x2576x8xf32>,
          tensor<16x2592x8xf32>, tensor<16x2624x8xf32>, tensor<16x2688x8xf32>, tensor<16x2816x8xf32>)
  %made = lathe.reshape %y to [16, 2560] : tensor<16x2560x1xf32>
  %error = lathe.sub %made, %wanted : tensor<16x2560xf32>
  %counted = lathe.slice %error from [0, 512] to [16, 2560] : tensor<16x2560xf32>
  %target = lathe.slice %wanted from [0, 512] to [16, 2560] : tensor<16x2560xf32>
  %error.square = lathe.mul %counted, %counted : tensor<16x2048xf32>
  %target.square = lathe.mul %target, %target : tensor<16x2048xf32>
  %error.energy = lathe.reduce sum %error.square dims [0, 1] : tensor<16x2048xf32>
  %target.energy = lathe.reduce sum %target.square dims [0, 1] : tensor<16x2048xf32>
  %loss = lathe.div %error.energy, %target.energy : tensor<f32>
  return %loss : tensor<f32>
}

func.func @train(%in: tensor<16x2560xf32>, %wanted: tensor<16x2560xf32>, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%in, %wanted) with adam<clip_norm = 1.0> learning_rate %rate : tensor<f32>
      : (tensor<16x2560xf32>, tensor<16x2560xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

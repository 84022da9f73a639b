// Takes noise out of speech at 16 kHz: a gated recurrent unit (Cho et al. 2014) of 64 cells sees the spectrum of 256 samples, every 64
// samples, and says how much of each of its 129 frequencies to keep. What is kept of the frames, which overlap, is added up.
// Entries: @init(seed); @denoise, K blocks of 64 samples of one stream, whose past is in @heard, @hidden and @unfinished; the result is
// 192 samples late; @reset, silence for a past; @train, one step of Adam on 16 pieces of 96 blocks, each with and without noise.
// %analysis turns a frame into a spectrum, 129 real parts and as many imaginary ones, and %synthesis turns it back; both have a window
// in them, so that overlapping frames add up to the sound. prepare.py makes these matrices, and lathec --const-input makes constants
// of them.
lathe.dim @K, 1 to 262144

lathe.variable @features.w : tensor<129x48xf32> init #lathe.glorot_uniform
lathe.variable @features.b : tensor<48xf32> init #lathe.zeros
lathe.variable @gru.w : tensor<48x192xf32> init #lathe.glorot_uniform
lathe.variable @gru.b : tensor<192xf32> init #lathe.zeros
lathe.variable @gru.r : tensor<64x192xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @gru.rb : tensor<192xf32> init #lathe.zeros
lathe.variable @mask.w : tensor<64x129xf32> init #lathe.glorot_uniform
lathe.variable @mask.b : tensor<129xf32> init #lathe.zeros
// The last three blocks, the cells, and the sums of the three blocks that later frames add to.
lathe.variable @heard : tensor<3x64xf32> init #lathe.zeros
lathe.variable @hidden : tensor<1x64xf32> init #lathe.zeros
lathe.variable @unfinished : tensor<3x64xf32> init #lathe.zeros

// What to keep of each frequency, frame by frame, of sounds in columns; and the cells after the last frame.
func.func private @masks(%spectra: tensor<?x?x258xf32>, %h0: tensor<?x64xf32>) -> (tensor<?x?x129xf32>, tensor<?x64xf32>) {
  %features.w = lathe.read @features.w : tensor<129x48xf32>
  %features.b = lathe.read @features.b : tensor<48xf32>
  %gru.w = lathe.read @gru.w : tensor<48x192xf32>
  %b = lathe.read @gru.b : tensor<192xf32>
  %gru.r = lathe.read @gru.r : tensor<64x192xf32>
  %rb = lathe.read @gru.rb : tensor<192xf32>
  %mask.w = lathe.read @mask.w : tensor<64x129xf32>
  %mask.b = lathe.read @mask.b : tensor<129xf32>
  %square = lathe.mul %spectra, %spectra : tensor<?x?x258xf32>
  %real = lathe.std.part %square index 0 of 2 : tensor<?x?x258xf32>
  %imaginary = lathe.std.part %square index 1 of 2 : tensor<?x?x258xf32>
  %power = lathe.add %real, %imaginary : tensor<?x?x129xf32>
  %floor = lathe.constant dense<1.0e-4> : tensor<f32>
  %positive = lathe.add %power, %floor : tensor<?x?x129xf32>, tensor<f32>
  %log = lathe.log %positive : tensor<?x?x129xf32>
  %scale = lathe.constant dense<0.3> : tensor<f32>
  %level = lathe.mul %log, %scale : tensor<?x?x129xf32>, tensor<f32>
  %sum = lathe.std.linear %level, %features.w bias %features.b : tensor<?x?x129xf32>, tensor<129x48xf32>, tensor<48xf32>
  %features = lathe.tanh %sum : tensor<?x?x48xf32>
  %w = lathe.transpose %gru.w [1, 0] : tensor<48x192xf32>
  %r = lathe.transpose %gru.r [1, 0] : tensor<64x192xf32>
  %hs, %h = lathe.std.gru %features, %w, %r bias %b recurrent_bias %rb h0 %h0
      : tensor<?x?x48xf32>, tensor<192x48xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<192xf32>, tensor<?x64xf32>
  %logits = lathe.std.linear %hs, %mask.w bias %mask.b : tensor<?x?x64xf32>, tensor<64x129xf32>, tensor<129xf32>
  %masks = lathe.logistic %logits : tensor<?x?x129xf32>
  return %masks, %h : tensor<?x?x129xf32>, tensor<?x64xf32>
}

func.func @denoise(%in: tensor<?x64xf32> {lathe.dims = #lathe.dims<K>}, %analysis: tensor<256x258xf32>, %synthesis: tensor<258x256xf32>)
    -> (tensor<?x64xf32> {lathe.name = "out"}) {
  %heard = lathe.read @heard : tensor<3x64xf32>
  %hidden = lathe.read @hidden : tensor<1x64xf32>
  %unfinished = lathe.read @unfinished : tensor<3x64xf32>

  // A frame is a block and the three before it.
  %blocks = lathe.concatenate %heard, %in dim 0 : tensor<3x64xf32>, tensor<?x64xf32>
  %b0 = lathe.slice %blocks from [0, 0] to [K, 64] : tensor<?x64xf32>
  %b1 = lathe.slice %blocks from [1, 0] to [K + 1, 64] : tensor<?x64xf32>
  %b2 = lathe.slice %blocks from [2, 0] to [K + 2, 64] : tensor<?x64xf32>
  %frames = lathe.concatenate %b0, %b1, %b2, %in dim 1 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  %last = lathe.slice %blocks from [K, 0] to [K + 3, 64] : tensor<?x64xf32>
  lathe.write @heard, %last : tensor<3x64xf32>

  %spectra = lathe.dot_general %frames, %analysis contract [1] x [0] : tensor<?x256xf32>, tensor<256x258xf32>
  %row = lathe.reshape %spectra to [K, 1, 258] : tensor<?x258xf32>
  %masks, %h = func.call @masks(%row, %hidden) : (tensor<?x1x258xf32>, tensor<1x64xf32>) -> (tensor<?x1x129xf32>, tensor<1x64xf32>)
  lathe.write @hidden, %h : tensor<1x64xf32>

  %mask = lathe.reshape %masks to [K, 129] : tensor<?x1x129xf32>
  %both = lathe.concatenate %mask, %mask dim 1 : tensor<?x129xf32>, tensor<?x129xf32>
  %kept = lathe.mul %spectra, %both : tensor<?x258xf32>
  %y = lathe.dot_general %kept, %synthesis contract [1] x [0] : tensor<?x258xf32>, tensor<258x256xf32>

  // A block is done when the four frames that have it are added.
  %nothing = lathe.constant dense<0.0> : tensor<f32>
  %y0 = lathe.slice %y from [0, 0] to [K, 64] : tensor<?x256xf32>
  %y1 = lathe.slice %y from [0, 64] to [K, 128] : tensor<?x256xf32>
  %y2 = lathe.slice %y from [0, 128] to [K, 192] : tensor<?x256xf32>
  %y3 = lathe.slice %y from [0, 192] to [K, 256] : tensor<?x256xf32>
  %p0 = lathe.pad %y0, %nothing low [0, 0] high [3, 0] interior [0, 0] : tensor<?x64xf32>, tensor<f32>
  %p1 = lathe.pad %y1, %nothing low [1, 0] high [2, 0] interior [0, 0] : tensor<?x64xf32>, tensor<f32>
  %p2 = lathe.pad %y2, %nothing low [2, 0] high [1, 0] interior [0, 0] : tensor<?x64xf32>, tensor<f32>
  %p3 = lathe.pad %y3, %nothing low [3, 0] high [0, 0] interior [0, 0] : tensor<?x64xf32>, tensor<f32>
  %p01 = lathe.add %p0, %p1 : tensor<?x64xf32>
  %p012 = lathe.add %p01, %p2 : tensor<?x64xf32>
  %p0123 = lathe.add %p012, %p3 : tensor<?x64xf32>
  %begun = lathe.slice %p0123 from [0, 0] to [3, 64] : tensor<?x64xf32>
  %first = lathe.add %begun, %unfinished : tensor<3x64xf32>
  %others = lathe.slice %p0123 from [3, 0] to [K + 3, 64] : tensor<?x64xf32>
  %sums = lathe.concatenate %first, %others dim 0 : tensor<3x64xf32>, tensor<?x64xf32>
  %out = lathe.slice %sums from [0, 0] to [K, 64] : tensor<?x64xf32>
  %tail = lathe.slice %sums from [K, 0] to [K + 3, 64] : tensor<?x64xf32>
  lathe.write @unfinished, %tail : tensor<3x64xf32>
  return %out : tensor<?x64xf32>
}

func.func @reset() {
  %blocks = lathe.constant dense<0.0> : tensor<3x64xf32>
  %cells = lathe.constant dense<0.0> : tensor<1x64xf32>
  lathe.write @heard, %blocks : tensor<3x64xf32>
  lathe.write @hidden, %cells : tensor<1x64xf32>
  lathe.write @unfinished, %blocks : tensor<3x64xf32>
  return
}

// The spectra of 96 frames of each of 16 pieces, frame by frame.
func.func private @pieces(%sound: tensor<16x99x64xf32>, %analysis: tensor<256x258xf32>) -> tensor<96x16x258xf32> {
  %b0 = lathe.slice %sound from [0, 0, 0] to [16, 96, 64] : tensor<16x99x64xf32>
  %b1 = lathe.slice %sound from [0, 1, 0] to [16, 97, 64] : tensor<16x99x64xf32>
  %b2 = lathe.slice %sound from [0, 2, 0] to [16, 98, 64] : tensor<16x99x64xf32>
  %b3 = lathe.slice %sound from [0, 3, 0] to [16, 99, 64] : tensor<16x99x64xf32>
  %frames = lathe.concatenate %b0, %b1, %b2, %b3 dim 2
      : tensor<16x96x64xf32>, tensor<16x96x64xf32>, tensor<16x96x64xf32>, tensor<16x96x64xf32>
  %turned = lathe.transpose %frames [1, 0, 2] : tensor<16x96x256xf32>
  %rows = lathe.reshape %turned to [1536, 256] : tensor<96x16x256xf32>
  %spectra = lathe.dot_general %rows, %analysis contract [1] x [0] : tensor<1536x256xf32>, tensor<256x258xf32>
  %each = lathe.reshape %spectra to [96, 16, 258] : tensor<1536x258xf32>
  return %each : tensor<96x16x258xf32>
}

// The error's share of the clean sound's energy, by spectra. The first 8 frames, before which the cells know nothing, do not count.
func.func private @loss(%noisy: tensor<16x99x64xf32>, %clean: tensor<16x99x64xf32>, %analysis: tensor<256x258xf32>) -> tensor<f32> {
  %spectra = func.call @pieces(%noisy, %analysis) : (tensor<16x99x64xf32>, tensor<256x258xf32>) -> tensor<96x16x258xf32>
  %wanted = func.call @pieces(%clean, %analysis) : (tensor<16x99x64xf32>, tensor<256x258xf32>) -> tensor<96x16x258xf32>
  %h0 = lathe.constant dense<0.0> : tensor<16x64xf32>
  %mask, %h = func.call @masks(%spectra, %h0) : (tensor<96x16x258xf32>, tensor<16x64xf32>) -> (tensor<96x16x129xf32>, tensor<16x64xf32>)
  %masks = lathe.concatenate %mask, %mask dim 2 : tensor<96x16x129xf32>, tensor<96x16x129xf32>
  %kept = lathe.mul %spectra, %masks : tensor<96x16x258xf32>
  %difference = lathe.sub %kept, %wanted : tensor<96x16x258xf32>
  %error = lathe.slice %difference from [8, 0, 0] to [96, 16, 258] : tensor<96x16x258xf32>
  %target = lathe.slice %wanted from [8, 0, 0] to [96, 16, 258] : tensor<96x16x258xf32>
  %error.square = lathe.mul %error, %error : tensor<88x16x258xf32>
  %target.square = lathe.mul %target, %target : tensor<88x16x258xf32>
  %error.energy = lathe.reduce sum %error.square dims [0, 1, 2] : tensor<88x16x258xf32>
  %target.energy = lathe.reduce sum %target.square dims [0, 1, 2] : tensor<88x16x258xf32>
  %loss = lathe.div %error.energy, %target.energy : tensor<f32>
  return %loss : tensor<f32>
}

func.func @train(%noisy: tensor<16x99x64xf32>, %clean: tensor<16x99x64xf32>, %analysis: tensor<256x258xf32>, %rate: tensor<f32>)
    -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%noisy, %clean, %analysis) with adam<clip_norm = 1.0> learning_rate %rate : tensor<f32>
      : (tensor<16x99x64xf32>, tensor<16x99x64xf32>, tensor<256x258xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

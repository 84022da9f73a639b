// One model over an image, a note of any length and a row of a table with gaps, of which any may be absent: what the thing is (four
// shapes), whether the note likes it, whether the table makes it dear; 16 classes.
// A batch is ragged: B samples, P images, of which sample b has number image[b], none where that is negative; T words, of which
// sample b has those from offsets[b] up to offsets[b + 1]; B rows of a table, gaps in it are NaN. A scan goes through the samples,
// and each runs the parts of the model that it has something for.
// Entries: @init(seed); @train, one step of Adam; @predict, the classes.
lathe.dim @B, 1 to 65536

lathe.variable @conv1.w : tensor<3x3x1x8xf32> init #lathe.he_normal
lathe.variable @conv1.b : tensor<8xf32> init #lathe.zeros
lathe.variable @conv2.w : tensor<3x3x8x16xf32> init #lathe.he_normal
lathe.variable @conv2.b : tensor<16xf32> init #lathe.zeros
lathe.variable @image.w : tensor<16x32xf32> init #lathe.he_normal
lathe.variable @image.none : tensor<32xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @words : tensor<40x64xf32> init #lathe.normal<0.0, 0.5>
lathe.variable @note.u : tensor<32x64xf32> init #lathe.glorot_uniform
lathe.variable @note.b : tensor<64xf32> init #lathe.zeros
lathe.variable @note.none : tensor<32xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @table.w : tensor<12x32xf32> init #lathe.he_normal
lathe.variable @table.b : tensor<32xf32> init #lathe.zeros
lathe.variable @table.none : tensor<32xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @hidden.w : tensor<96x64xf32> init #lathe.he_normal
lathe.variable @hidden.b : tensor<64xf32> init #lathe.zeros
lathe.variable @out.w : tensor<64x16xf32> init #lathe.glorot_uniform
lathe.variable @out.b : tensor<16xf32> init #lathe.zeros

// Two convolutions and the mean over the picture.
func.func private @look(%image: tensor<12x12x1xf32>) -> tensor<32xf32> {
  %w1 = lathe.read @conv1.w : tensor<3x3x1x8xf32>
  %b1 = lathe.read @conv1.b : tensor<8xf32>
  %w2 = lathe.read @conv2.w : tensor<3x3x8x16xf32>
  %b2 = lathe.read @conv2.b : tensor<16xf32>
  %w = lathe.read @image.w : tensor<16x32xf32>
  %one = lathe.reshape %image to [1, 12, 12, 1] : tensor<12x12x1xf32>
  %c1 = lathe.conv %one, %w1 stride [1, 1] pad same : tensor<1x12x12x1xf32>, tensor<3x3x1x8xf32>
  %z1 = lathe.add %c1, %b1 : tensor<1x12x12x8xf32>, tensor<8xf32>
  %x1 = lathe.std.relu %z1 : tensor<1x12x12x8xf32>
  %c2 = lathe.conv %x1, %w2 stride [2, 2] pad same : tensor<1x12x12x8xf32>, tensor<3x3x8x16xf32>
  %z2 = lathe.add %c2, %b2 : tensor<1x6x6x16xf32>, tensor<16xf32>
  %x2 = lathe.std.relu %z2 : tensor<1x6x6x16xf32>
  %mean = lathe.std.mean %x2 dims [0, 1, 2] : tensor<1x6x6x16xf32>
  %features = lathe.dot_general %mean, %w contract [0] x [0] : tensor<16xf32>, tensor<16x32xf32>
  return %features : tensor<32xf32>
}

// A recurrent layer over so many words, at most 16: a gate tells how far each one changes the state.
func.func private @read(%words: tensor<16xi32>, %count: tensor<i32>) -> tensor<32xf32> {
  %table = lathe.read @words : tensor<40x64xf32>
  %u = lathe.read @note.u : tensor<32x64xf32>
  %b = lathe.read @note.b : tensor<64xf32>
  %zero = lathe.constant dense<0.0> : tensor<32xf32>
  %meanings = lathe.std.embedding %table, %words : tensor<40x64xf32>, tensor<16xi32>
  %state = lathe.scan carry(%h = %zero : tensor<32xf32>) over(%x = %meanings : tensor<16x64xf32>) length %count -> tensor<32xf32> {
    %from_h = lathe.dot_general %h, %u contract [0] x [0] : tensor<32xf32>, tensor<32x64xf32>
    %sum = lathe.add %x, %from_h : tensor<64xf32>
    %z = lathe.add %sum, %b : tensor<64xf32>
    %zg = lathe.slice %z from [0] to [32] : tensor<64xf32>
    %zc = lathe.slice %z from [32] to [64] : tensor<64xf32>
    %gate = lathe.logistic %zg : tensor<32xf32>
    %new = lathe.tanh %zc : tensor<32xf32>
    %off = lathe.sub %new, %h : tensor<32xf32>
    %change = lathe.mul %gate, %off : tensor<32xf32>
    %next = lathe.add %h, %change : tensor<32xf32>
    lathe.yield carry(%next : tensor<32xf32>)
  }
  return %state : tensor<32xf32>
}

// The numbers that are there, with zeros for the others, and which these are.
func.func private @weigh(%row: tensor<6xf32>) -> tensor<32xf32> {
  %w = lathe.read @table.w : tensor<12x32xf32>
  %b = lathe.read @table.b : tensor<32xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %gap = lathe.is_nan %row : tensor<6xf32>
  %filled = lathe.select %gap, %zero, %row : tensor<6xi1>, tensor<f32>, tensor<6xf32>
  %gaps = lathe.convert %gap to f32 : tensor<6xi1>
  %all = lathe.concatenate %filled, %gaps dim 0 : tensor<6xf32>, tensor<6xf32>
  %product = lathe.dot_general %all, %w contract [0] x [0] : tensor<12xf32>, tensor<12x32xf32>
  %z = lathe.add %product, %b : tensor<32xf32>
  %features = lathe.tanh %z : tensor<32xf32>
  return %features : tensor<32xf32>
}

func.func private @logits(%images: tensor<?x12x12x1xf32>, %image: tensor<?xi32>, %words: tensor<?xi32>, %offsets: tensor<?xi32>,
                          %rows: tensor<?x6xf32>, %has_row: tensor<?xi1>) -> tensor<?x16xf32> {
  %no_image = lathe.read @image.none : tensor<32xf32>
  %no_note = lathe.read @note.none : tensor<32xf32>
  %no_row = lathe.read @table.none : tensor<32xf32>
  %wh = lathe.read @hidden.w : tensor<96x64xf32>
  %bh = lathe.read @hidden.b : tensor<64xf32>
  %wo = lathe.read @out.w : tensor<64x16xf32>
  %bo = lathe.read @out.b : tensor<16xf32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %nothing = lathe.constant dense<0.0> : tensor<f32>
  %firsts = lathe.pad %offsets, %zero low [0] high [-1] interior [0] : tensor<?xi32>, tensor<i32>
  %lasts = lathe.pad %offsets, %zero low [-1] high [0] interior [0] : tensor<?xi32>, tensor<i32>
  %ahead = lathe.iota dim 0 to [16] : i32
  %count, %features = lathe.scan carry(%n = %zero : tensor<i32>)
      over(%i = %image : tensor<?xi32>, %first = %firsts : tensor<?xi32>, %last = %lasts : tensor<?xi32>, %row = %rows : tensor<?x6xf32>,
           %has = %has_row : tensor<?xi1>) -> (tensor<i32>, tensor<?x96xf32>) {
    %seen = lathe.compare ge %i, %zero : tensor<i32>
    %f1 = lathe.if %seen -> tensor<32xf32> {
      %picture = lathe.gather %images, %i axis 0 : tensor<?x12x12x1xf32>, tensor<i32>
      %f = func.call @look(%picture) : (tensor<12x12x1xf32>) -> tensor<32xf32>
      lathe.yield %f : tensor<32xf32>
    } else {
      lathe.yield %no_image : tensor<32xf32>
    }
    %length = lathe.sub %last, %first : tensor<i32>
    %noted = lathe.compare gt %length, %zero : tensor<i32>
    %f2 = lathe.if %noted -> tensor<32xf32> {
      %places = lathe.add %ahead, %first : tensor<16xi32>, tensor<i32>
      %note = lathe.gather %words, %places axis 0 : tensor<?xi32>, tensor<16xi32>
      %f = func.call @read(%note, %length) : (tensor<16xi32>, tensor<i32>) -> tensor<32xf32>
      lathe.yield %f : tensor<32xf32>
    } else {
      lathe.yield %no_note : tensor<32xf32>
    }
    %f3 = lathe.if %has -> tensor<32xf32> {
      %f = func.call @weigh(%row) : (tensor<6xf32>) -> tensor<32xf32>
      lathe.yield %f : tensor<32xf32>
    } else {
      lathe.yield %no_row : tensor<32xf32>
    }
    %f = lathe.concatenate %f1, %f2, %f3 dim 0 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
    lathe.yield carry(%n : tensor<i32>) collect(%f : tensor<96xf32>)
  }
  %h = lathe.std.linear %features, %wh bias %bh : tensor<?x96xf32>, tensor<96x64xf32>, tensor<64xf32>
  %active = lathe.std.relu %h : tensor<?x64xf32>
  %logits = lathe.std.linear %active, %wo bias %bo : tensor<?x64xf32>, tensor<64x16xf32>, tensor<16xf32>
  return %logits : tensor<?x16xf32>
}

func.func private @loss(%images: tensor<?x12x12x1xf32>, %image: tensor<?xi32>, %words: tensor<?xi32>, %offsets: tensor<?xi32>,
                        %rows: tensor<?x6xf32>, %has_row: tensor<?xi1>, %label: tensor<?xi32>) -> tensor<f32> {
  %logits = func.call @logits(%images, %image, %words, %offsets, %rows, %has_row)
      : (tensor<?x12x12x1xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x6xf32>, tensor<?xi1>) -> tensor<?x16xf32>
  %loss = lathe.std.cross_entropy %logits, %label : tensor<?x16xf32>, tensor<?xi32>
  return %loss : tensor<f32>
}

func.func @train(%images: tensor<?x12x12x1xf32> {lathe.dims = #lathe.dims<P>}, %image: tensor<?xi32> {lathe.dims = #lathe.dims<B>},
                 %words: tensor<?xi32> {lathe.dims = #lathe.dims<T>}, %offsets: tensor<?xi32> {lathe.dims = #lathe.dims<B + 1>},
                 %rows: tensor<?x6xf32> {lathe.dims = #lathe.dims<B>}, %has_row: tensor<?xi1> {lathe.dims = #lathe.dims<B>},
                 %label: tensor<?xi32> {lathe.dims = #lathe.dims<B>}, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%images, %image, %words, %offsets, %rows, %has_row, %label) with adam<> learning_rate %rate : tensor<f32>
      : (tensor<?x12x12x1xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x6xf32>, tensor<?xi1>, tensor<?xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @predict(%images: tensor<?x12x12x1xf32> {lathe.dims = #lathe.dims<P>}, %image: tensor<?xi32> {lathe.dims = #lathe.dims<B>},
                   %words: tensor<?xi32> {lathe.dims = #lathe.dims<T>}, %offsets: tensor<?xi32> {lathe.dims = #lathe.dims<B + 1>},
                   %rows: tensor<?x6xf32> {lathe.dims = #lathe.dims<B>}, %has_row: tensor<?xi1> {lathe.dims = #lathe.dims<B>})
    -> (tensor<?xi32> {lathe.name = "found"}) {
  %logits = func.call @logits(%images, %image, %words, %offsets, %rows, %has_row)
      : (tensor<?x12x12x1xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x6xf32>, tensor<?xi1>) -> tensor<?x16xf32>
  %found = lathe.argmax %logits dim 1 : tensor<?x16xf32>
  return %found : tensor<?xi32>
}

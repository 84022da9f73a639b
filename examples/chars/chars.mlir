// A character model: an LSTM (Hochreiter and Schmidhuber 1997, with forget gates) of 128 cells that guesses each next character.
// Written for one text; lathe.vmap makes a batch of 32 of it. Its training goes through time in pieces of 64 characters: @h and @c
// hold the cells between pieces, no gradient passes them. 72 characters are known, by number.
// Entries: @init(seed); @reset, cells of all texts to zero; @train, one step of Adam on the next piece of each text; @score, the
// bits that each character takes, without training; @score_lines and @score_line, those of lines of any length, all at once and
// one by one; @next, what may follow a character, with cells of its own for writing.
lathe.dim @B, 1 to 4096
lathe.dim @L, 2 to 4096

lathe.variable @table : tensor<72x512xf32> init #lathe.normal<0.0, 0.5>
lathe.variable @recurrent : tensor<128x512xf32> init #lathe.glorot_uniform
lathe.variable @out.w : tensor<128x72xf32> init #lathe.glorot_uniform
lathe.variable @out.b : tensor<72xf32> init #lathe.zeros
lathe.variable @h : tensor<32x128xf32> init #lathe.zeros
lathe.variable @c : tensor<32x128xf32> init #lathe.zeros
lathe.variable @writer.h : tensor<128xf32> init #lathe.zeros
lathe.variable @writer.c : tensor<128xf32> init #lathe.zeros

// What a character contributes, z, and the hidden state give input, forget and output gate and the change, 128 of each.
func.func private @cell(%h: tensor<128xf32>, %c: tensor<128xf32>, %z: tensor<512xf32>, %recurrent: tensor<128x512xf32>)
    -> (tensor<128xf32>, tensor<128xf32>) {
  %from_h = lathe.dot_general %h, %recurrent contract [0] x [0] : tensor<128xf32>, tensor<128x512xf32>
  %sum = lathe.add %z, %from_h : tensor<512xf32>
  %zi = lathe.slice %sum from [0] to [128] : tensor<512xf32>
  %zf = lathe.slice %sum from [128] to [256] : tensor<512xf32>
  %zo = lathe.slice %sum from [256] to [384] : tensor<512xf32>
  %zg = lathe.slice %sum from [384] to [512] : tensor<512xf32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %open = lathe.add %zf, %one : tensor<128xf32>, tensor<f32>
  %i = lathe.logistic %zi : tensor<128xf32>
  %f = lathe.logistic %open : tensor<128xf32>
  %o = lathe.logistic %zo : tensor<128xf32>
  %g = lathe.tanh %zg : tensor<128xf32>
  %kept = lathe.mul %f, %c : tensor<128xf32>
  %new = lathe.mul %i, %g : tensor<128xf32>
  %c1 = lathe.add %kept, %new : tensor<128xf32>
  %tanh = lathe.tanh %c1 : tensor<128xf32>
  %h1 = lathe.mul %o, %tanh : tensor<128xf32>
  return %h1, %c1 : tensor<128xf32>, tensor<128xf32>
}

func.func private @logits(%h: tensor<128xf32>, %w: tensor<128x72xf32>, %b: tensor<72xf32>) -> tensor<72xf32> {
  %product = lathe.dot_general %h, %w contract [0] x [0] : tensor<128xf32>, tensor<128x72xf32>
  %logits = lathe.add %product, %b : tensor<72xf32>
  return %logits : tensor<72xf32>
}

// All hidden states of one text, and both states behind it. The gradient keeps about every eighth and runs between a second time.
func.func private @through(%h0: tensor<128xf32>, %c0: tensor<128xf32>, %zs: tensor<64x512xf32>, %recurrent: tensor<128x512xf32>)
    -> (tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %h, %c, %hs = lathe.scan carry(%h = %h0 : tensor<128xf32>, %c = %c0 : tensor<128xf32>) over(%z = %zs : tensor<64x512xf32>)
      checkpoint sqrt -> (tensor<128xf32>, tensor<128xf32>, tensor<64x128xf32>) {
    %h1, %c1 = func.call @cell(%h, %c, %z, %recurrent)
        : (tensor<128xf32>, tensor<128xf32>, tensor<512xf32>, tensor<128x512xf32>) -> (tensor<128xf32>, tensor<128xf32>)
    lathe.yield carry(%h1 : tensor<128xf32>, %c1 : tensor<128xf32>) collect(%h1 : tensor<128xf32>)
  }
  return %hs, %h, %c : tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>
}

// The mean of -log of the probabilities of the characters behind the first of each piece; moves @h and @c on.
func.func private @loss(%text: tensor<32x65xi32>) -> tensor<f32> {
  %table = lathe.read @table : tensor<72x512xf32>
  %recurrent = lathe.read @recurrent : tensor<128x512xf32>
  %h0 = lathe.read @h : tensor<32x128xf32>
  %c0 = lathe.read @c : tensor<32x128xf32>
  %now = lathe.slice %text from [0, 0] to [32, 64] : tensor<32x65xi32>
  %next = lathe.slice %text from [0, 1] to [32, 65] : tensor<32x65xi32>
  %zs = lathe.gather %table, %now axis 0 : tensor<72x512xf32>, tensor<32x64xi32>
  %hs, %h, %c = lathe.vmap @through(%h0, %c0, %zs, %recurrent) in [0, 0, 0, none]
      : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x64x512xf32>, tensor<128x512xf32>)
      -> (tensor<32x64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
  lathe.write @h, %h : tensor<32x128xf32>
  lathe.write @c, %c : tensor<32x128xf32>
  %flat = lathe.reshape %hs to [2048, 128] : tensor<32x64x128xf32>
  %w = lathe.read @out.w : tensor<128x72xf32>
  %b = lathe.read @out.b : tensor<72xf32>
  %logits = lathe.vmap @logits(%flat, %w, %b) in [0, none, none]
      : (tensor<2048x128xf32>, tensor<128x72xf32>, tensor<72xf32>) -> tensor<2048x72xf32>
  %labels = lathe.reshape %next to [2048] : tensor<32x64xi32>
  %loss = lathe.std.cross_entropy %logits, %labels : tensor<2048x72xf32>, tensor<2048xi32>
  return %loss : tensor<f32>
}

func.func @reset() {
  %zero = lathe.constant dense<0.0> : tensor<32x128xf32>
  lathe.write @h, %zero : tensor<32x128xf32>
  lathe.write @c, %zero : tensor<32x128xf32>
  return
}

func.func @train(%text: tensor<32x65xi32>, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%text) with adam<> learning_rate %rate : tensor<f32> wrt [@table, @recurrent, @out.w, @out.b]
      : (tensor<32x65xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func private @in_bits(%nats: tensor<f32>) -> tensor<f32> {
  %ln2 = lathe.constant dense<0.6931471805599453> : tensor<f32>
  %bits = lathe.div %nats, %ln2 : tensor<f32>
  return %bits : tensor<f32>
}

func.func @score(%text: tensor<32x65xi32>) -> (tensor<f32> {lathe.name = "bits"}) {
  %loss = func.call @loss(%text) : (tensor<32x65xi32>) -> tensor<f32>
  %bits = func.call @in_bits(%loss) : (tensor<f32>) -> tensor<f32>
  return %bits : tensor<f32>
}

// One line of up to L - 1 characters: only the first `length` steps run, and the others do not count.
func.func private @masked(%table: tensor<72x512xf32>, %recurrent: tensor<128x512xf32>, %line: tensor<?xi32>, %length: tensor<i32>)
    -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<128xf32>
  %none = lathe.constant dense<-1> : tensor<i32>
  %now = lathe.pad %line, %none low [0] high [-1] interior [0] : tensor<?xi32>, tensor<i32>
  %next = lathe.pad %line, %none low [-1] high [0] interior [0] : tensor<?xi32>, tensor<i32>
  %zs = lathe.gather %table, %now axis 0 : tensor<72x512xf32>, tensor<?xi32>
  %h, %c, %hs = lathe.scan carry(%h = %zero : tensor<128xf32>, %c = %zero : tensor<128xf32>) over(%z = %zs : tensor<?x512xf32>)
      length %length -> (tensor<128xf32>, tensor<128xf32>, tensor<?x128xf32>) {
    %h1, %c1 = func.call @cell(%h, %c, %z, %recurrent)
        : (tensor<128xf32>, tensor<128xf32>, tensor<512xf32>, tensor<128x512xf32>) -> (tensor<128xf32>, tensor<128xf32>)
    lathe.yield carry(%h1 : tensor<128xf32>, %c1 : tensor<128xf32>) collect(%h1 : tensor<128xf32>)
  }
  %w = lathe.read @out.w : tensor<128x72xf32>
  %b = lathe.read @out.b : tensor<72xf32>
  %logits = lathe.vmap @logits(%hs, %w, %b) in [0, none, none]
      : (tensor<?x128xf32>, tensor<128x72xf32>, tensor<72xf32>) -> tensor<?x72xf32>
  %each = lathe.std.cross_entropy %logits, %next reduction none : tensor<?x72xf32>, tensor<?xi32>
  %place = lathe.iota dim 0 to [L - 1] : i32
  %there = lathe.compare lt %place, %length : tensor<?xi32>, tensor<i32>
  %no = lathe.constant dense<0.0> : tensor<f32>
  %counted = lathe.select %there, %each, %no : tensor<?xi1>, tensor<?xf32>, tensor<f32>
  %nats = lathe.reduce sum %counted dims [0] : tensor<?xf32>
  %bits = func.call @in_bits(%nats) : (tensor<f32>) -> tensor<f32>
  return %bits : tensor<f32>
}

func.func @score_lines(%lines: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, L>}, %length: tensor<?xi32> {lathe.dims = #lathe.dims<B>})
    -> (tensor<?xf32> {lathe.name = "bits"}) {
  %table = lathe.read @table : tensor<72x512xf32>
  %recurrent = lathe.read @recurrent : tensor<128x512xf32>
  %bits = lathe.vmap @masked(%table, %recurrent, %lines, %length) in [none, none, 0, 0]
      : (tensor<72x512xf32>, tensor<128x512xf32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?xf32>
  return %bits : tensor<?xf32>
}

// The same of a single line: as many steps as it has characters.
func.func @score_line(%line: tensor<?xi32> {lathe.dims = #lathe.dims<L>}, %length: tensor<i32>) -> (tensor<f32> {lathe.name = "bits"}) {
  %table = lathe.read @table : tensor<72x512xf32>
  %recurrent = lathe.read @recurrent : tensor<128x512xf32>
  %w = lathe.read @out.w : tensor<128x72xf32>
  %b = lathe.read @out.b : tensor<72xf32>
  %zero = lathe.constant dense<0.0> : tensor<128xf32>
  %no = lathe.constant dense<0.0> : tensor<f32>
  %i0 = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %i, %h, %c, %nats = lathe.while carry(%i = %i0 : tensor<i32>, %h = %zero : tensor<128xf32>, %c = %zero : tensor<128xf32>, %sum = %no : tensor<f32>) {
    %go = lathe.compare lt %i, %length : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %i1 = lathe.add %i, %one : tensor<i32>
    %now = lathe.gather %line, %i axis 0 : tensor<?xi32>, tensor<i32>
    %next = lathe.gather %line, %i1 axis 0 : tensor<?xi32>, tensor<i32>
    %z = lathe.gather %table, %now axis 0 : tensor<72x512xf32>, tensor<i32>
    %h1, %c1 = func.call @cell(%h, %c, %z, %recurrent)
        : (tensor<128xf32>, tensor<128xf32>, tensor<512xf32>, tensor<128x512xf32>) -> (tensor<128xf32>, tensor<128xf32>)
    %logits = func.call @logits(%h1, %w, %b) : (tensor<128xf32>, tensor<128x72xf32>, tensor<72xf32>) -> tensor<72xf32>
    %more = lathe.std.cross_entropy %logits, %next : tensor<72xf32>, tensor<i32>
    %total = lathe.add %sum, %more : tensor<f32>
    lathe.yield carry(%i1 : tensor<i32>, %h1 : tensor<128xf32>, %c1 : tensor<128xf32>, %total : tensor<f32>)
  }
  %bits = func.call @in_bits(%nats) : (tensor<f32>) -> tensor<f32>
  return %bits : tensor<f32>
}

func.func @next(%character: tensor<i32>, %temperature: tensor<f32>) -> (tensor<72xf32> {lathe.name = "probability"}) {
  %table = lathe.read @table : tensor<72x512xf32>
  %recurrent = lathe.read @recurrent : tensor<128x512xf32>
  %h = lathe.read @writer.h : tensor<128xf32>
  %c = lathe.read @writer.c : tensor<128xf32>
  %z = lathe.gather %table, %character axis 0 : tensor<72x512xf32>, tensor<i32>
  %h1, %c1 = func.call @cell(%h, %c, %z, %recurrent)
      : (tensor<128xf32>, tensor<128xf32>, tensor<512xf32>, tensor<128x512xf32>) -> (tensor<128xf32>, tensor<128xf32>)
  lathe.write @writer.h, %h1 : tensor<128xf32>
  lathe.write @writer.c, %c1 : tensor<128xf32>
  %w = lathe.read @out.w : tensor<128x72xf32>
  %b = lathe.read @out.b : tensor<72xf32>
  %logits = func.call @logits(%h1, %w, %b) : (tensor<128xf32>, tensor<128x72xf32>, tensor<72xf32>) -> tensor<72xf32>
  %sharper = lathe.div %logits, %temperature : tensor<72xf32>, tensor<f32>
  %probability = lathe.std.softmax %sharper : tensor<72xf32>
  return %probability : tensor<72xf32>
}

// A small transformer (Vaswani et al. 2017; norms in front, as in GPT-2) that guesses each next character: 4 layers of 128 features,
// 4 heads of attention, up to 64 characters back. The layers' weights are stacked, and a scan goes through them. Written for one
// text; lathe.vmap makes a batch of B of it.
// Entries: @init(seed); @train, one step of Adam; @score, the bits that each character takes; @probabilities, those of what follows
// each character of a text; @next, the same of one more character alone, with the keys and values of those before it in @keys and
// @values.
lathe.variable @embedding : tensor<72x128xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @position : tensor<64x128xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @norm1 : tensor<4x128xf32> init #lathe.fill<1.0>
lathe.variable @qkv : tensor<4x128x384xf32> init #lathe.normal<0.0, 0.08>
lathe.variable @merge : tensor<4x128x128xf32> init #lathe.normal<0.0, 0.03>
lathe.variable @norm2 : tensor<4x128xf32> init #lathe.fill<1.0>
lathe.variable @wide : tensor<4x128x512xf32> init #lathe.normal<0.0, 0.08>
lathe.variable @narrow : tensor<4x512x128xf32> init #lathe.normal<0.0, 0.02>
lathe.variable @norm.out : tensor<128xf32> init #lathe.fill<1.0>
lathe.variable @out : tensor<128x72xf32> init #lathe.normal<0.0, 0.05>
// Of layers, heads and places, what generation has seen.
lathe.variable @keys : tensor<4x4x64x32xf32> init #lathe.zeros
lathe.variable @values : tensor<4x4x64x32xf32> init #lathe.zeros

// What a layer does to the features of one character before attention, query, key and value of each head, and behind it.
func.func private @before(%x: tensor<128xf32>, %norm: tensor<128xf32>, %qkv: tensor<128x384xf32>)
    -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
  %n = lathe.std.rms_norm %x scale %norm : tensor<128xf32>, tensor<128xf32>
  %all = lathe.dot_general %n, %qkv contract [0] x [0] : tensor<128xf32>, tensor<128x384xf32>
  %q1 = lathe.slice %all from [0] to [128] : tensor<384xf32>
  %k1 = lathe.slice %all from [128] to [256] : tensor<384xf32>
  %v1 = lathe.slice %all from [256] to [384] : tensor<384xf32>
  %q = lathe.reshape %q1 to [4, 32] : tensor<128xf32>
  %k = lathe.reshape %k1 to [4, 32] : tensor<128xf32>
  %v = lathe.reshape %v1 to [4, 32] : tensor<128xf32>
  return %q, %k, %v : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
}
func.func private @behind(%x: tensor<128xf32>, %seen: tensor<4x32xf32>, %merge: tensor<128x128xf32>, %norm: tensor<128xf32>,
                          %wide: tensor<128x512xf32>, %narrow: tensor<512x128xf32>) -> tensor<128xf32> {
  %flat = lathe.reshape %seen to [128] : tensor<4x32xf32>
  %merged = lathe.dot_general %flat, %merge contract [0] x [0] : tensor<128xf32>, tensor<128x128xf32>
  %y = lathe.add %x, %merged : tensor<128xf32>
  %n = lathe.std.rms_norm %y scale %norm : tensor<128xf32>, tensor<128xf32>
  %h = lathe.dot_general %n, %wide contract [0] x [0] : tensor<128xf32>, tensor<128x512xf32>
  %g = lathe.std.gelu %h approximation tanh : tensor<512xf32>
  %m = lathe.dot_general %g, %narrow contract [0] x [0] : tensor<512xf32>, tensor<512x128xf32>
  %z = lathe.add %y, %m : tensor<128xf32>
  return %z : tensor<128xf32>
}

func.func private @logits(%x: tensor<128xf32>, %norm: tensor<128xf32>, %out: tensor<128x72xf32>) -> tensor<72xf32> {
  %n = lathe.std.rms_norm %x scale %norm : tensor<128xf32>, tensor<128xf32>
  %logits = lathe.dot_general %n, %out contract [0] x [0] : tensor<128xf32>, tensor<128x72xf32>
  return %logits : tensor<72xf32>
}

// One text of 64 characters, each of which sees itself and those before it.
func.func private @through(%text: tensor<64xi32>) -> tensor<64x72xf32> {
  %embedding = lathe.read @embedding : tensor<72x128xf32>
  %position = lathe.read @position : tensor<64x128xf32>
  %norm1s = lathe.read @norm1 : tensor<4x128xf32>
  %qkvs = lathe.read @qkv : tensor<4x128x384xf32>
  %merges = lathe.read @merge : tensor<4x128x128xf32>
  %norm2s = lathe.read @norm2 : tensor<4x128xf32>
  %wides = lathe.read @wide : tensor<4x128x512xf32>
  %narrows = lathe.read @narrow : tensor<4x512x128xf32>
  %norm = lathe.read @norm.out : tensor<128xf32>
  %out = lathe.read @out : tensor<128x72xf32>
  %letters = lathe.std.embedding %embedding, %text : tensor<72x128xf32>, tensor<64xi32>
  %first = lathe.add %letters, %position : tensor<64x128xf32>
  %last = lathe.scan carry(%x = %first : tensor<64x128xf32>)
      over(%norm1 = %norm1s : tensor<4x128xf32>, %qkv = %qkvs : tensor<4x128x384xf32>, %merge = %merges : tensor<4x128x128xf32>,
           %norm2 = %norm2s : tensor<4x128xf32>, %wide = %wides : tensor<4x128x512xf32>, %narrow = %narrows : tensor<4x512x128xf32>)
      -> tensor<64x128xf32> {
    %qs, %ks, %vs = lathe.vmap @before(%x, %norm1, %qkv) in [0, none, none]
        : (tensor<64x128xf32>, tensor<128xf32>, tensor<128x384xf32>) -> (tensor<64x4x32xf32>, tensor<64x4x32xf32>, tensor<64x4x32xf32>)
    %q = lathe.transpose %qs [1, 0, 2] : tensor<64x4x32xf32>
    %k = lathe.transpose %ks [1, 0, 2] : tensor<64x4x32xf32>
    %v = lathe.transpose %vs [1, 0, 2] : tensor<64x4x32xf32>
    %seen = lathe.std.attention %q, %k, %v causal : tensor<4x64x32xf32>, tensor<4x64x32xf32>, tensor<4x64x32xf32>
    %each = lathe.transpose %seen [1, 0, 2] : tensor<4x64x32xf32>
    %next = lathe.vmap @behind(%x, %each, %merge, %norm2, %wide, %narrow) in [0, 0, none, none, none, none]
        : (tensor<64x128xf32>, tensor<64x4x32xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512x128xf32>)
        -> tensor<64x128xf32>
    lathe.yield carry(%next : tensor<64x128xf32>)
  }
  %logits = lathe.vmap @logits(%last, %norm, %out) in [0, none, none]
      : (tensor<64x128xf32>, tensor<128xf32>, tensor<128x72xf32>) -> tensor<64x72xf32>
  return %logits : tensor<64x72xf32>
}

func.func private @loss(%text: tensor<?x65xi32>) -> tensor<f32> {
  %now = lathe.slice %text from [0, 0] to [B, 64] : tensor<?x65xi32>
  %next = lathe.slice %text from [0, 1] to [B, 65] : tensor<?x65xi32>
  %logits = lathe.vmap @through(%now) in [0] : (tensor<?x64xi32>) -> tensor<?x64x72xf32>
  %loss = lathe.std.cross_entropy %logits, %next : tensor<?x64x72xf32>, tensor<?x64xi32>
  return %loss : tensor<f32>
}

func.func @train(%text: tensor<?x65xi32> {lathe.dims = #lathe.dims<B>}, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%text) with adam<beta2 = 0.99, clip_norm = 1.0> learning_rate %rate : tensor<f32>
      : (tensor<?x65xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @score(%text: tensor<?x65xi32> {lathe.dims = #lathe.dims<B>}) -> (tensor<f32> {lathe.name = "bits"}) {
  %nats = func.call @loss(%text) : (tensor<?x65xi32>) -> tensor<f32>
  %ln2 = lathe.constant dense<0.6931471805599453> : tensor<f32>
  %bits = lathe.div %nats, %ln2 : tensor<f32>
  return %bits : tensor<f32>
}

func.func @probabilities(%text: tensor<64xi32>) -> (tensor<64x72xf32> {lathe.name = "probability"}) {
  %logits = func.call @through(%text) : (tensor<64xi32>) -> tensor<64x72xf32>
  %probability = lathe.std.softmax %logits : tensor<64x72xf32>
  return %probability : tensor<64x72xf32>
}

// The character at `place` of a text whose earlier ones came before it, place by place.
func.func @next(%character: tensor<i32>, %place: tensor<i32>, %temperature: tensor<f32>) -> (tensor<72xf32> {lathe.name = "probability"}) {
  %embedding = lathe.read @embedding : tensor<72x128xf32>
  %position = lathe.read @position : tensor<64x128xf32>
  %norm1s = lathe.read @norm1 : tensor<4x128xf32>
  %qkvs = lathe.read @qkv : tensor<4x128x384xf32>
  %merges = lathe.read @merge : tensor<4x128x128xf32>
  %norm2s = lathe.read @norm2 : tensor<4x128xf32>
  %wides = lathe.read @wide : tensor<4x128x512xf32>
  %narrows = lathe.read @narrow : tensor<4x512x128xf32>
  %norm = lathe.read @norm.out : tensor<128xf32>
  %out = lathe.read @out : tensor<128x72xf32>
  %keys = lathe.read @keys : tensor<4x4x64x32xf32>
  %values = lathe.read @values : tensor<4x4x64x32xf32>
  %letter = lathe.gather %embedding, %character axis 0 : tensor<72x128xf32>, tensor<i32>
  %where = lathe.gather %position, %place axis 0 : tensor<64x128xf32>, tensor<i32>
  %first = lathe.add %letter, %where : tensor<128xf32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %places = lathe.iota dim 0 to [64] : i32
  %mask = lathe.compare le %places, %place : tensor<64xi32>, tensor<i32>
  %last, %all_k, %all_v = lathe.scan carry(%x = %first : tensor<128xf32>)
      over(%norm1 = %norm1s : tensor<4x128xf32>, %qkv = %qkvs : tensor<4x128x384xf32>, %merge = %merges : tensor<4x128x128xf32>,
           %norm2 = %norm2s : tensor<4x128xf32>, %wide = %wides : tensor<4x128x512xf32>, %narrow = %narrows : tensor<4x512x128xf32>,
           %old_k = %keys : tensor<4x4x64x32xf32>, %old_v = %values : tensor<4x4x64x32xf32>)
      -> (tensor<128xf32>, tensor<4x4x64x32xf32>, tensor<4x4x64x32xf32>) {
    %q1, %k1, %v1 = func.call @before(%x, %norm1, %qkv)
        : (tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %q = lathe.reshape %q1 to [4, 1, 32] : tensor<4x32xf32>
    %k = lathe.reshape %k1 to [4, 1, 32] : tensor<4x32xf32>
    %v = lathe.reshape %v1 to [4, 1, 32] : tensor<4x32xf32>
    %new_k = lathe.dynamic_update_slice %old_k, %k [%zero, %place, %zero]
        : tensor<4x64x32xf32>, tensor<4x1x32xf32>, (tensor<i32>, tensor<i32>, tensor<i32>)
    %new_v = lathe.dynamic_update_slice %old_v, %v [%zero, %place, %zero]
        : tensor<4x64x32xf32>, tensor<4x1x32xf32>, (tensor<i32>, tensor<i32>, tensor<i32>)
    %seen = lathe.std.attention %q, %new_k, %new_v mask %mask
        : tensor<4x1x32xf32>, tensor<4x64x32xf32>, tensor<4x64x32xf32>, tensor<64xi1>
    %heads = lathe.reshape %seen to [4, 32] : tensor<4x1x32xf32>
    %z = func.call @behind(%x, %heads, %merge, %norm2, %wide, %narrow)
        : (tensor<128xf32>, tensor<4x32xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128xf32>
    lathe.yield carry(%z : tensor<128xf32>) collect(%new_k : tensor<4x64x32xf32>, %new_v : tensor<4x64x32xf32>)
  }
  lathe.write @keys, %all_k : tensor<4x4x64x32xf32>
  lathe.write @values, %all_v : tensor<4x4x64x32xf32>
  %logits = func.call @logits(%last, %norm, %out) : (tensor<128xf32>, tensor<128xf32>, tensor<128x72xf32>) -> tensor<72xf32>
  %sharper = lathe.div %logits, %temperature : tensor<72xf32>, tensor<f32>
  %probability = lathe.std.softmax %sharper : tensor<72xf32>
  return %probability : tensor<72xf32>
}

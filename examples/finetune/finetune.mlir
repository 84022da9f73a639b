// A published network as a function of this graph, and a loss that tunes it. The weights and the bias of its last layer become
// variables by the names that its file has for them:
//   lathec finetune.mlir --state=initializers:*/Const_24:0 --state=initializers:*/Dense_1/Reshape:0
// Entries: @init, made from the file's weights; @train, one step of Adam in place; @predict, the probabilities of 214 labels.
func.func private @net(tensor<32x2048xi32>) -> tensor<32x214xf32> attributes {lathe.model = "model.onnx"}

// The network ends with a softmax, and no result is before it. The logarithm of its probabilities is as good as what goes into
// the softmax: they differ by a number a row, which the softmax in the loss takes away again. The floor keeps a probability that
// is too small for f32 from becoming -inf; where it counts, below 1e-20, it makes the gradient smaller, not wrong.
func.func private @loss(%bytes: tensor<32x2048xi32>, %wanted: tensor<32x214xf32>) -> tensor<f32> {
  %probability = call @net(%bytes) : (tensor<32x2048xi32>) -> tensor<32x214xf32>
  %floor = lathe.constant dense<1.0e-20> : tensor<f32>
  %positive = lathe.add %probability, %floor : tensor<32x214xf32>, tensor<f32>
  %log = lathe.log %positive : tensor<32x214xf32>
  %loss = lathe.std.soft_cross_entropy %log, %wanted : tensor<32x214xf32>, tensor<32x214xf32>
  return %loss : tensor<f32>
}

// What a known file wants is what the network says already: of most weights it has only rounding errors for a gradient, which
// Adam would make steps as long as any other of. Its epsilon is above them.
func.func @train(%bytes: tensor<32x2048xi32>, %wanted: tensor<32x214xf32>, %rate: tensor<f32>)
    -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%bytes, %wanted) with adam<epsilon = 1.0e-4> learning_rate %rate : tensor<f32>
      : (tensor<32x2048xi32>, tensor<32x214xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @predict(%bytes: tensor<32x2048xi32>) -> (tensor<32x214xf32> {lathe.name = "probability"}) {
  %probability = call @net(%bytes) : (tensor<32x2048xi32>) -> tensor<32x214xf32>
  return %probability : tensor<32x214xf32>
}

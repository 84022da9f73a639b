// One use of each composite, for docs/std.md; test/dialects/Lathe/Std compares each with its definition in plain arithmetic.
lathe.std.sum %x dims [0] keep : tensor<?x4xf32>
lathe.std.max %x dims [1] : tensor<?x4xf32>
lathe.std.min %x : tensor<?x4xf32>
lathe.std.count %x dims [0] : tensor<?x4xf32>
lathe.std.mean %x dims [-1] keep : tensor<?x4xf32>
lathe.std.variance %x dims [1] correction 1 : tensor<?x4xf32>
lathe.std.norm %x dims [1] : tensor<?x4xf32>
lathe.std.softmax %x : tensor<?x10xf32>
lathe.std.log_softmax %x dim 0 : tensor<?x10xf32>
lathe.std.logsumexp %x dims [1] : tensor<?x10xf32>
lathe.std.relu %x : tensor<?x8xf32>
lathe.std.relu6 %x : tensor<?x8xf32>
lathe.std.leaky_relu %x slope 0.2 : tensor<?x8xf32>
lathe.std.prelu %x, %slope : tensor<?x8xf32>, tensor<8xf32>
lathe.std.elu %x alpha 0.5 : tensor<?x8xf32>
lathe.std.celu %x alpha 2.0 : tensor<?x8xf32>
lathe.std.selu %x : tensor<?x8xf32>
lathe.std.gelu %x : tensor<?x8xf32>
lathe.std.gelu %x approximation tanh : tensor<?x8xf32>
lathe.std.silu %x : tensor<?x8xf32>
lathe.std.mish %x : tensor<?x8xf32>
lathe.std.softplus %x : tensor<?x8xf32>
lathe.std.softsign %x : tensor<?x8xf32>
lathe.std.log_sigmoid %x : tensor<?x8xf32>
lathe.std.hard_sigmoid %x : tensor<?x8xf32>
lathe.std.hard_swish %x : tensor<?x8xf32>
lathe.std.hard_tanh %x low -0.5 high 0.5 : tensor<?x8xf32>
lathe.std.tanh_shrink %x : tensor<?x8xf32>
lathe.std.soft_shrink %x threshold 0.25 : tensor<?x8xf32>
lathe.std.hard_shrink %x : tensor<?x8xf32>
lathe.std.glu %x dim 1 : tensor<?x8xf32>
lathe.std.part %x dim 1 index 2 of 4 : tensor<?x8xf32>
lathe.std.one_hot %index size 10 : tensor<?xi32>
lathe.std.embedding %table, %ids : tensor<10x4xf32>, tensor<?x3xi32>
lathe.std.row_ids %values, %offsets : tensor<?x4xf32>, tensor<3xi32>
lathe.std.segment_sum %values, %offsets : tensor<?x4xf32>, tensor<3xi32>
lathe.std.segment_mean %values, %offsets : tensor<?x4xf32>, tensor<3xi64>
lathe.std.segment_max %values, %offsets : tensor<?x4xf32>, tensor<3xi32>
lathe.std.segment_softmax %values, %offsets : tensor<?x4xf32>, tensor<3xi32>
lathe.std.layer_norm %x scale %s bias %b : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>
lathe.std.rms_norm %x scale %s epsilon 1.0e-5 : tensor<?x8xf32>, tensor<8xf32>
lathe.std.l2_normalize %x : tensor<?x8xf32>
lathe.std.batch_norm %x scale %s bias %b : tensor<?x5x8xf32>, tensor<8xf32>, tensor<8xf32>
lathe.std.batch_norm_inference %x, %mean, %variance bias %b dim 1 : tensor<?x5x8xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
lathe.std.group_norm %x groups 4 scale %s : tensor<?x5x8xf32>, tensor<8xf32>
lathe.std.instance_norm %x bias %b : tensor<?x5x8xf32>, tensor<8xf32>
lathe.std.linear %x, %w bias %b : tensor<?x3x8xf32>, tensor<8x4xf32>, tensor<4xf32>
lathe.std.attention %q, %k, %v causal : tensor<?x5x8xf32>, tensor<?x6x8xf32>, tensor<?x6x4xf32>
lathe.std.attention %q, %k, %v mask %m bias %b scale 0.5 : tensor<?x5x8xf32>, tensor<?x6x8xf32>, tensor<?x6x4xf32>, tensor<5x6xi1>, tensor<6xf32>
lathe.std.max_pool %x window [2, 2] stride [2, 2] padding [1, 1] : tensor<?x6x6x3xf32>
lathe.std.average_pool %x window [3] stride [1] : tensor<?x6x3xf32>
lathe.std.reduced %each reduction sum : tensor<?xf32>
lathe.std.cross_entropy %logits, %labels : tensor<?x10xf32>, tensor<?xi32>
lathe.std.cross_entropy %logits, %labels smoothing 0.1 ignore_negative reduction none : tensor<?x10xf32>, tensor<?xi32>
lathe.std.soft_cross_entropy %logits, %probabilities : tensor<?x10xf32>
lathe.std.mse %prediction, %target : tensor<?x4xf32>
lathe.std.mae %prediction, %target reduction sum : tensor<?x4xf32>
lathe.std.huber %prediction, %target delta 0.5 : tensor<?x4xf32>
lathe.std.binary_cross_entropy %probability, %target : tensor<?x4xf32>
lathe.std.binary_cross_entropy_with_logits %logits, %target : tensor<?x4xf32>
lathe.std.hinge %prediction, %target : tensor<?x4xf32>
lathe.std.kl_divergence %log_prediction, %target reduction none : tensor<?x4xf32>
lathe.std.cosine_similarity %a, %b : tensor<?x4xf32>
lathe.std.ctc_loss %log_probabilities, %targets input_lengths %input_lengths target_lengths %target_lengths : tensor<5x?x4xf32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
lathe.std.sgd %p, %g, %rate weight_decay 0.1 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>
lathe.std.decayed %p, %g weight_decay 0.1 : tensor<3x4xf32>
lathe.std.momentum %p, %g, %rate, %v nesterov : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
lathe.std.adam %p, %g, %rate, %t, %m, %v : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
lathe.std.adamw %p, %g, %rate, %t, %m, %v weight_decay 0.1 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
lathe.std.rmsprop %p, %g, %rate, %s : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
lathe.std.adagrad %p, %g, %rate, %s : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
lathe.std.lion %p, %g, %rate, %m weight_decay 0.1 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>
lathe.std.clip_by_norm %g limit 0.5 : tensor<3x4xf32>
lathe.std.clip_factor %total limit 2.0 : tensor<f32>
lathe.std.exponential_decay %step initial 0.1 factor 0.5 steps 100.0 staircase : tensor<f32>
lathe.std.cosine_decay %step initial 0.1 final 0.01 steps 100.0 : tensor<f32>
lathe.std.linear_schedule %step initial 0.0 final 0.1 steps 100.0 : tensor<f32>
lathe.std.inverse_sqrt_schedule %step initial 0.1 warmup 40.0 : tensor<f32>
lathe.std.dropout %x, %seed rate 0.25 stream 3 : tensor<?x8xf32>, tensor<i64>
lathe.std.stochastic_round %x, %bits : tensor<?x8xf32>, tensor<?x8xi32>
lathe.std.stochastic_round %x, %bits upper : tensor<?x8xf32>, tensor<?x8xi32>
lathe.std.activation %x function sigmoid : tensor<?x8xf32>
lathe.std.within %x, %lengths : tensor<5x?x3xf32>, tensor<?xi32>
lathe.std.rnn %x, %weights, %recurrent activation relu : tensor<5x?x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>
lathe.std.lstm %x, %weights, %recurrent bias %b : tensor<5x?x3xf32>, tensor<8x3xf32>, tensor<8x2xf32>, tensor<8xf32>
lathe.std.lstm %x, %weights, %recurrent lengths %lengths reverse time 1 checkpoint sqrt : tensor<?x5x3xf32>, tensor<8x3xf32>, tensor<8x2xf32>, tensor<?xi32>
lathe.std.gru %x, %weights, %recurrent recurrent_bias %b : tensor<5x?x3xf32>, tensor<6x3xf32>, tensor<6x2xf32>, tensor<6xf32>
lathe.std.gru %x, %weights, %recurrent gates zrn reset before h0 %h : tensor<5x?x3xf32>, tensor<6x3xf32>, tensor<6x2xf32>, tensor<?x2xf32>
func.func private @step(%tokens: tensor<?xi32>, %h: tensor<?x4xf32>, %table: tensor<6x4xf32>) -> (tensor<?x6xf32>, tensor<?x4xf32>) {
  %word = lathe.gather %table, %tokens axis 0 : tensor<6x4xf32>, tensor<?xi32>
  %sum = lathe.add %h, %word : tensor<?x4xf32>
  %next = lathe.tanh %sum : tensor<?x4xf32>
  %logits = lathe.dot_general %next, %table contract [1] x [1] : tensor<?x4xf32>, tensor<6x4xf32>
  return %logits, %next : tensor<?x6xf32>, tensor<?x4xf32>
}
lathe.std.greedy_decode %first state %h with %table function @step vocabulary 6 end 0 max_length 5 type f32 : tensor<?xi32>, tensor<?x4xf32>, tensor<6x4xf32>
lathe.std.beam_decode %first state %h with %table function @step vocabulary 6 end 0 max_length 5 beams 3 length_penalty 0.6 type f32 : tensor<?xi32>, tensor<?x4xf32>, tensor<6x4xf32>
func.func private @swing(%y: tensor<2xf32>, %t: tensor<f32>, %rate: tensor<f32>) -> tensor<2xf32> {
  %other = lathe.reverse %y dims [0] : tensor<2xf32>
  %drift = lathe.mul %other, %rate : tensor<2xf32>, tensor<f32>
  %push = lathe.cos %t : tensor<f32>
  %slope = lathe.add %drift, %push : tensor<2xf32>, tensor<f32>
  return %slope : tensor<2xf32>
}
lathe.std.rk4 %y, %t0, %t1 with %rate function @swing steps 8 checkpoint sqrt : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
lathe.std.dopri5 %y, %t0, %t1 with %rate function @swing steps 4 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
lathe.std.dopri5_step %y, %t0, %rate with %rate function @swing : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
lathe.std.dopri5_adaptive %y, %t0, %t1 with %rate function @swing relative 1.0e-10 absolute 1.0e-10 bound 200 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
lathe.std.add_scaled %y, %x factor 0.5 : tensor<?x4xf32>
lathe.std.inverse %matrix : tensor<3x3xf32>
lathe.std.solve %matrix, %b : tensor<3x3xf32>, tensor<3x2xf32>
func.func private @balance(%x: tensor<2xf32>, %load: tensor<2xf32>) -> tensor<2xf32> {
  %square = lathe.mul %x, %x : tensor<2xf32>
  %cube = lathe.mul %square, %x : tensor<2xf32>
  %twice = lathe.add %x, %x : tensor<2xf32>
  %own = lathe.add %cube, %twice : tensor<2xf32>
  %other = lathe.reverse %x dims [0] : tensor<2xf32>
  %sum = lathe.add %own, %other : tensor<2xf32>
  %left = lathe.sub %sum, %load : tensor<2xf32>
  return %left : tensor<2xf32>
}
lathe.std.jacobian %x with %load function @balance : tensor<2xf32>
lathe.std.newton %x with %load function @balance tolerance 1.0e-12 : tensor<2xf32>
func.func private @ease(%x: tensor<2xf32>, %rate: tensor<f32>) -> tensor<2xf32> {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %other = lathe.reverse %x dims [0] : tensor<2xf32>
  %cos = lathe.cos %other : tensor<2xf32>
  %above = lathe.add %cos, %one : tensor<2xf32>, tensor<f32>
  %next = lathe.mul %above, %rate : tensor<2xf32>, tensor<f32>
  return %next : tensor<2xf32>
}
lathe.std.fixed_point %x with %rate function @ease tolerance 1.0e-12 : tensor<2xf32>, tensor<f32>
lathe.std.close_to %a, %b tolerance 0.5 : tensor<?x4xf32>

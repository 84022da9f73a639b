// ADBench's LSTM: L layers in which each of B cells sees itself and the cell below it alone, over C characters of B bits; the loss
// is what log probabilities of the next character's bits lack, the mean over all bits. Of each layer `weights` and `biases` are
// those of the forget gate, the input gate, the output gate and the change. As in ADBench the sum under the logarithm has 2 added.

func.func private @gate(%x: tensor<?xf64>, %w: tensor<4x?xf64>, %b: tensor<4x?xf64>, %which: tensor<i32>) -> tensor<?xf64> {
  %weight = lathe.gather %w, %which axis 0 : tensor<4x?xf64>, tensor<i32>
  %bias = lathe.gather %b, %which axis 0 : tensor<4x?xf64>, tensor<i32>
  %scaled = lathe.mul %x, %weight : tensor<?xf64>
  %z = lathe.add %scaled, %bias : tensor<?xf64>
  return %z : tensor<?xf64>
}

func.func private @loss(%weights: tensor<?x4x?xf64>, %biases: tensor<?x4x?xf64>, %in_weight: tensor<?xf64>, %out_weight: tensor<?xf64>,
                        %out_bias: tensor<?xf64>, %hidden: tensor<?x?xf64>, %cell: tensor<?x?xf64>, %now: tensor<?x?xf64>,
                        %next: tensor<?x?xf64>) -> tensor<f64> {
  %h_end, %c_end, %terms = lathe.scan carry(%h = %hidden : tensor<?x?xf64>, %c = %cell : tensor<?x?xf64>)
      over(%character = %now : tensor<?x?xf64>, %gold = %next : tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>) {
    %first = lathe.mul %character, %in_weight : tensor<?xf64>
    %top, %h_new, %c_new = lathe.scan carry(%x = %first : tensor<?xf64>)
        over(%w = %weights : tensor<?x4x?xf64>, %b = %biases : tensor<?x4x?xf64>, %h_old = %h : tensor<?x?xf64>, %c_old = %c : tensor<?x?xf64>)
        -> (tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
      %i0 = lathe.constant dense<0> : tensor<i32>
      %i1 = lathe.constant dense<1> : tensor<i32>
      %i2 = lathe.constant dense<2> : tensor<i32>
      %i3 = lathe.constant dense<3> : tensor<i32>
      %zf = func.call @gate(%x, %w, %b, %i0) : (tensor<?xf64>, tensor<4x?xf64>, tensor<4x?xf64>, tensor<i32>) -> tensor<?xf64>
      %zi = func.call @gate(%h_old, %w, %b, %i1) : (tensor<?xf64>, tensor<4x?xf64>, tensor<4x?xf64>, tensor<i32>) -> tensor<?xf64>
      %zo = func.call @gate(%x, %w, %b, %i2) : (tensor<?xf64>, tensor<4x?xf64>, tensor<4x?xf64>, tensor<i32>) -> tensor<?xf64>
      %zc = func.call @gate(%h_old, %w, %b, %i3) : (tensor<?xf64>, tensor<4x?xf64>, tensor<4x?xf64>, tensor<i32>) -> tensor<?xf64>
      %forget = lathe.logistic %zf : tensor<?xf64>
      %in = lathe.logistic %zi : tensor<?xf64>
      %out = lathe.logistic %zo : tensor<?xf64>
      %change = lathe.tanh %zc : tensor<?xf64>
      %kept = lathe.mul %c_old, %forget : tensor<?xf64>
      %added = lathe.mul %in, %change : tensor<?xf64>
      %c1 = lathe.add %kept, %added : tensor<?xf64>
      %tanh = lathe.tanh %c1 : tensor<?xf64>
      %h1 = lathe.mul %out, %tanh : tensor<?xf64>
      lathe.yield carry(%h1 : tensor<?xf64>) collect(%h1 : tensor<?xf64>, %c1 : tensor<?xf64>)
    }
    %scaled = lathe.mul %top, %out_weight : tensor<?xf64>
    %y = lathe.add %scaled, %out_bias : tensor<?xf64>
    %exp = lathe.exp %y : tensor<?xf64>
    %sum = lathe.reduce sum %exp dims [0] : tensor<?xf64>
    %two = lathe.constant dense<2.0> : tensor<f64>
    %more = lathe.add %sum, %two : tensor<f64>
    %log = lathe.log %more : tensor<f64>
    %norm = lathe.sub %y, %log : tensor<?xf64>, tensor<f64>
    %product = lathe.mul %gold, %norm : tensor<?xf64>
    %term = lathe.reduce sum %product dims [0] : tensor<?xf64>
    lathe.yield carry(%h_new : tensor<?x?xf64>, %c_new : tensor<?x?xf64>) collect(%term : tensor<f64>)
  }
  %total = lathe.reduce sum %terms dims [0] : tensor<?xf64>
  %steps = lathe.dim_size %now dim 0 : tensor<?x?xf64>
  %bits = lathe.dim_size %now dim 1 : tensor<?x?xf64>
  %count = lathe.mul %steps, %bits : tensor<i64>
  %n = lathe.convert %count to f64 : tensor<i64>
  %mean = lathe.div %total, %n : tensor<f64>
  %loss = lathe.neg %mean : tensor<f64>
  return %loss : tensor<f64>
}

func.func @objective(%weights: tensor<?x4x?xf64> {lathe.dims = #lathe.dims<L, B>}, %biases: tensor<?x4x?xf64> {lathe.dims = #lathe.dims<L, B>},
                     %in_weight: tensor<?xf64> {lathe.dims = #lathe.dims<B>}, %out_weight: tensor<?xf64> {lathe.dims = #lathe.dims<B>},
                     %out_bias: tensor<?xf64> {lathe.dims = #lathe.dims<B>}, %hidden: tensor<?x?xf64> {lathe.dims = #lathe.dims<L, B>},
                     %cell: tensor<?x?xf64> {lathe.dims = #lathe.dims<L, B>}, %now: tensor<?x?xf64> {lathe.dims = #lathe.dims<C, B>},
                     %next: tensor<?x?xf64> {lathe.dims = #lathe.dims<C, B>}) -> (tensor<f64> {lathe.name = "value"}) {
  %value = func.call @loss(%weights, %biases, %in_weight, %out_weight, %out_bias, %hidden, %cell, %now, %next)
      : (tensor<?x4x?xf64>, tensor<?x4x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>,
         tensor<?x?xf64>) -> tensor<f64>
  return %value : tensor<f64>
}

func.func @gradient(%weights: tensor<?x4x?xf64> {lathe.dims = #lathe.dims<L, B>}, %biases: tensor<?x4x?xf64> {lathe.dims = #lathe.dims<L, B>},
                    %in_weight: tensor<?xf64> {lathe.dims = #lathe.dims<B>}, %out_weight: tensor<?xf64> {lathe.dims = #lathe.dims<B>},
                    %out_bias: tensor<?xf64> {lathe.dims = #lathe.dims<B>}, %hidden: tensor<?x?xf64> {lathe.dims = #lathe.dims<L, B>},
                    %cell: tensor<?x?xf64> {lathe.dims = #lathe.dims<L, B>}, %now: tensor<?x?xf64> {lathe.dims = #lathe.dims<C, B>},
                    %next: tensor<?x?xf64> {lathe.dims = #lathe.dims<C, B>})
    -> (tensor<f64> {lathe.name = "value"}, tensor<?x4x?xf64> {lathe.name = "by_weights"}, tensor<?x4x?xf64> {lathe.name = "by_biases"},
        tensor<?xf64> {lathe.name = "by_in_weight"}, tensor<?xf64> {lathe.name = "by_out_weight"}, tensor<?xf64> {lathe.name = "by_out_bias"}) {
  %value, %w, %b, %iw, %ow, %ob = lathe.value_and_grad @loss(%weights, %biases, %in_weight, %out_weight, %out_bias, %hidden, %cell, %now, %next)
      wrt [0, 1, 2, 3, 4]
      : (tensor<?x4x?xf64>, tensor<?x4x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>,
         tensor<?x?xf64>)
      -> (tensor<f64>, tensor<?x4x?xf64>, tensor<?x4x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>)
  return %value, %w, %b, %iw, %ow, %ob : tensor<f64>, tensor<?x4x?xf64>, tensor<?x4x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

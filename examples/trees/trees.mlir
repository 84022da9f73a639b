// Learns to evaluate expressions of digits with +, - and * modulo 10 from nothing but whole expressions and their values. Each tree
// has its own shape: nodes in post order, of each its kind (a digit, or 10, 11, 12 for an operator) and the places of its children.
// A node's value is a distribution over the ten digits. What a digit's name stands for and what an operator makes of two digits
// are tables to be learned; no tree shows them apart.
// Entries: @init(seed); @train, a step of Adam on a batch of unlike trees; @predict, the roots' values of a batch; @evaluate, the
// value of a single tree, as many steps as it has nodes; @tables, what was learned.
lathe.dim @B, 1 to 65536
lathe.dim @M, 1 to 4096
lathe.variable @names : tensor<10x10xf32> init #lathe.normal<0.0, 0.1>
lathe.variable @operators : tensor<3x10x10x10xf32> init #lathe.normal<0.0, 0.1>

// Probabilities: of a digit's value by its name, and of an operator's result by its operands, of all three side by side.
func.func private @learned() -> (tensor<10x10xf32>, tensor<100x30xf32>) {
  %names = lathe.read @names : tensor<10x10xf32>
  %operators = lathe.read @operators : tensor<3x10x10x10xf32>
  %digits = lathe.std.softmax %names : tensor<10x10xf32>
  %results = lathe.std.softmax %operators : tensor<3x10x10x10xf32>
  %flat = lathe.reshape %results to [3, 100, 10] : tensor<3x10x10x10xf32>
  %beside = lathe.transpose %flat [1, 0, 2] : tensor<3x100x10xf32>
  %tables = lathe.reshape %beside to [100, 30] : tensor<100x3x10xf32>
  return %digits, %tables : tensor<10x10xf32>, tensor<100x30xf32>
}

// The distribution of node `i`, given those of the nodes before it.
func.func private @node(%digits: tensor<10x10xf32>, %tables: tensor<100x30xf32>, %values: tensor<?x10xf32>, %kind: tensor<i32>,
                        %left: tensor<i32>, %right: tensor<i32>) -> tensor<10xf32> {
  %ten = lathe.constant dense<10> : tensor<i32>
  %is_digit = lathe.compare lt %kind, %ten : tensor<i32>
  %value = lathe.if %is_digit -> tensor<10xf32> {
    %digit = lathe.gather %digits, %kind axis 0 : tensor<10x10xf32>, tensor<i32>
    lathe.yield %digit : tensor<10xf32>
  } else {
    %a = lathe.gather %values, %left axis 0 : tensor<?x10xf32>, tensor<i32>
    %b = lathe.gather %values, %right axis 0 : tensor<?x10xf32>, tensor<i32>
    %column = lathe.reshape %a to [10, 1] : tensor<10xf32>
    %pairs = lathe.mul %column, %b : tensor<10x1xf32>, tensor<10xf32>
    %pair = lathe.reshape %pairs to [100] : tensor<10x10xf32>
    %all = lathe.dot_general %pair, %tables contract [0] x [0] : tensor<100xf32>, tensor<100x30xf32>
    %each = lathe.reshape %all to [3, 10] : tensor<30xf32>
    %which = lathe.sub %kind, %ten : tensor<i32>
    %result = lathe.gather %each, %which axis 0 : tensor<3x10xf32>, tensor<i32>
    lathe.yield %result : tensor<10xf32>
  }
  return %value : tensor<10xf32>
}

// A scan over the nodes of one tree, of which `count` are there.
func.func private @root(%digits: tensor<10x10xf32>, %tables: tensor<100x30xf32>, %kind: tensor<?xi32>, %left: tensor<?xi32>,
                        %right: tensor<?xi32>, %count: tensor<i32>) -> tensor<10xf32> {
  %zero = lathe.constant dense<0.0> : tensor<1x10xf32>
  %i0 = lathe.constant dense<0> : tensor<i32>
  %empty = lathe.broadcast %zero dims [0, 1] to [M, 10] : tensor<1x10xf32>
  %place = lathe.iota dim 0 to [M] : i32
  %values = lathe.scan carry(%v = %empty : tensor<?x10xf32>)
      over(%i = %place : tensor<?xi32>, %k = %kind : tensor<?xi32>, %l = %left : tensor<?xi32>, %r = %right : tensor<?xi32>)
      length %count -> tensor<?x10xf32> {
    %value = func.call @node(%digits, %tables, %v, %k, %l, %r)
        : (tensor<10x10xf32>, tensor<100x30xf32>, tensor<?x10xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10xf32>
    %row = lathe.reshape %value to [1, 10] : tensor<10xf32>
    %next = lathe.dynamic_update_slice %v, %row [%i, %i0] : tensor<?x10xf32>, tensor<1x10xf32>, (tensor<i32>, tensor<i32>)
    lathe.yield carry(%next : tensor<?x10xf32>)
  }
  %one = lathe.constant dense<1> : tensor<i32>
  %last = lathe.sub %count, %one : tensor<i32>
  %root = lathe.gather %values, %last axis 0 : tensor<?x10xf32>, tensor<i32>
  return %root : tensor<10xf32>
}

func.func private @roots(%kind: tensor<?x?xi32>, %left: tensor<?x?xi32>, %right: tensor<?x?xi32>, %count: tensor<?xi32>) -> tensor<?x10xf32> {
  %digits, %tables = func.call @learned() : () -> (tensor<10x10xf32>, tensor<100x30xf32>)
  %roots = lathe.vmap @root(%digits, %tables, %kind, %left, %right, %count) in [none, none, 0, 0, 0, 0]
      : (tensor<10x10xf32>, tensor<100x30xf32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x10xf32>
  return %roots : tensor<?x10xf32>
}

func.func private @loss(%kind: tensor<?x?xi32>, %left: tensor<?x?xi32>, %right: tensor<?x?xi32>, %count: tensor<?xi32>,
                        %value: tensor<?xi32>) -> tensor<f32> {
  %roots = func.call @roots(%kind, %left, %right, %count)
      : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x10xf32>
  %tiny = lathe.constant dense<1.0e-9> : tensor<f32>
  %p = lathe.gather %roots, %value axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>
  %safe = lathe.add %p, %tiny : tensor<?xf32>, tensor<f32>
  %log = lathe.log %safe : tensor<?xf32>
  %mean = lathe.std.mean %log : tensor<?xf32>
  %loss = lathe.neg %mean : tensor<f32>
  return %loss : tensor<f32>
}

func.func @train(%kind: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>}, %left: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>},
                 %right: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>}, %count: tensor<?xi32> {lathe.dims = #lathe.dims<B>},
                 %value: tensor<?xi32> {lathe.dims = #lathe.dims<B>}, %rate: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%kind, %left, %right, %count, %value) with adam<> learning_rate %rate : tensor<f32>
      : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @predict(%kind: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>}, %left: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>},
                   %right: tensor<?x?xi32> {lathe.dims = #lathe.dims<B, M>}, %count: tensor<?xi32> {lathe.dims = #lathe.dims<B>})
    -> (tensor<?xi32> {lathe.name = "value"}) {
  %roots = func.call @roots(%kind, %left, %right, %count)
      : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x10xf32>
  %value = lathe.argmax %roots dim 1 : tensor<?x10xf32>
  return %value : tensor<?xi32>
}

// The same of one tree by a lathe.while, from its nodes alone.
func.func @evaluate(%kind: tensor<?xi32> {lathe.dims = #lathe.dims<M>}, %left: tensor<?xi32> {lathe.dims = #lathe.dims<M>},
                    %right: tensor<?xi32> {lathe.dims = #lathe.dims<M>}, %count: tensor<i32>) -> (tensor<i32> {lathe.name = "value"}) {
  %digits, %tables = func.call @learned() : () -> (tensor<10x10xf32>, tensor<100x30xf32>)
  %zero = lathe.constant dense<0.0> : tensor<1x10xf32>
  %i0 = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %empty = lathe.broadcast %zero dims [0, 1] to [M, 10] : tensor<1x10xf32>
  %n, %values = lathe.while carry(%i = %i0 : tensor<i32>, %v = %empty : tensor<?x10xf32>) {
    %go = lathe.compare lt %i, %count : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %k = lathe.gather %kind, %i axis 0 : tensor<?xi32>, tensor<i32>
    %l = lathe.gather %left, %i axis 0 : tensor<?xi32>, tensor<i32>
    %r = lathe.gather %right, %i axis 0 : tensor<?xi32>, tensor<i32>
    %value = func.call @node(%digits, %tables, %v, %k, %l, %r)
        : (tensor<10x10xf32>, tensor<100x30xf32>, tensor<?x10xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<10xf32>
    %row = lathe.reshape %value to [1, 10] : tensor<10xf32>
    %next = lathe.dynamic_update_slice %v, %row [%i, %i0] : tensor<?x10xf32>, tensor<1x10xf32>, (tensor<i32>, tensor<i32>)
    %i1 = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%i1 : tensor<i32>, %next : tensor<?x10xf32>)
  }
  %last = lathe.sub %n, %one : tensor<i32>
  %root = lathe.gather %values, %last axis 0 : tensor<?x10xf32>, tensor<i32>
  %answer = lathe.argmax %root dim 0 : tensor<10xf32>
  return %answer : tensor<i32>
}

func.func @tables() -> (tensor<10xi32> {lathe.name = "names"}, tensor<3x10x10xi32> {lathe.name = "operators"}) {
  %names = lathe.read @names : tensor<10x10xf32>
  %operators = lathe.read @operators : tensor<3x10x10x10xf32>
  %n = lathe.argmax %names dim 1 : tensor<10x10xf32>
  %o = lathe.argmax %operators dim 3 : tensor<3x10x10x10xf32>
  return %n, %o : tensor<10xi32>, tensor<3x10x10xi32>
}

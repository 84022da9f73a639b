// The temperature of a rod of three materials, u' = (k u_x)_x in 40 cells, its ends held at 0, and a fit of the three
// conductivities k to what five thermometers have shown. The variable holds their logarithms; length and heat capacity are 1.
// Each measurement is eight Runge-Kutta steps after the one before: a scan within a scan. The gradient keeps the temperatures
// of about every tenth measurement alone, and runs between those a second time.
// Entries: @init(seed); @fit, one step of Adam on the mean square of what the thermometers are off; @temperatures, of the
// whole rod at each measurement; @errors, how far noise carries the three.
lathe.variable @unknown : tensor<3xf64> init #lathe.zeros

// What flows in less what flows out. Face i lies before cell i; a wall is half a cell away, so the cell behind it would be -u.
func.func private @change(%u: tensor<40xf64>, %face: tensor<41xf64>) -> tensor<40xf64> {
  %first = lathe.slice %u from [0] to [1] : tensor<40xf64>
  %last = lathe.slice %u from [39] to [40] : tensor<40xf64>
  %before = lathe.neg %first : tensor<1xf64>
  %behind = lathe.neg %last : tensor<1xf64>
  %left = lathe.concatenate %before, %u dim 0 : tensor<1xf64>, tensor<40xf64>
  %right = lathe.concatenate %u, %behind dim 0 : tensor<40xf64>, tensor<1xf64>
  %drop = lathe.sub %right, %left : tensor<41xf64>
  %flow = lathe.mul %face, %drop : tensor<41xf64>
  %in = lathe.slice %flow from [1] to [41] : tensor<41xf64>
  %out = lathe.slice %flow from [0] to [40] : tensor<41xf64>
  %net = lathe.sub %in, %out : tensor<40xf64>
  %cells = lathe.constant dense<1600.0> : tensor<f64>
  %change = lathe.mul %cells, %net : tensor<f64>, tensor<40xf64>
  return %change : tensor<40xf64>
}

func.func private @ahead(%u: tensor<40xf64>, %h: tensor<f64>, %v: tensor<40xf64>) -> tensor<40xf64> {
  %way = lathe.mul %h, %v : tensor<f64>, tensor<40xf64>
  %y = lathe.add %u, %way : tensor<40xf64>
  return %y : tensor<40xf64>
}

func.func private @step(%u: tensor<40xf64>, %face: tensor<41xf64>, %h: tensor<f64>) -> tensor<40xf64> {
  %two = lathe.constant dense<2.0> : tensor<f64>
  %six = lathe.constant dense<6.0> : tensor<f64>
  %half = lathe.div %h, %two : tensor<f64>
  %sixth = lathe.div %h, %six : tensor<f64>
  %k1 = func.call @change(%u, %face) : (tensor<40xf64>, tensor<41xf64>) -> tensor<40xf64>
  %u2 = func.call @ahead(%u, %half, %k1) : (tensor<40xf64>, tensor<f64>, tensor<40xf64>) -> tensor<40xf64>
  %k2 = func.call @change(%u2, %face) : (tensor<40xf64>, tensor<41xf64>) -> tensor<40xf64>
  %u3 = func.call @ahead(%u, %half, %k2) : (tensor<40xf64>, tensor<f64>, tensor<40xf64>) -> tensor<40xf64>
  %k3 = func.call @change(%u3, %face) : (tensor<40xf64>, tensor<41xf64>) -> tensor<40xf64>
  %u4 = func.call @ahead(%u, %h, %k3) : (tensor<40xf64>, tensor<f64>, tensor<40xf64>) -> tensor<40xf64>
  %k4 = func.call @change(%u4, %face) : (tensor<40xf64>, tensor<41xf64>) -> tensor<40xf64>
  %ends = lathe.add %k1, %k4 : tensor<40xf64>
  %middle = lathe.add %k2, %k3 : tensor<40xf64>
  %twice = lathe.mul %two, %middle : tensor<f64>, tensor<40xf64>
  %k = lathe.add %ends, %twice : tensor<40xf64>
  %next = func.call @ahead(%u, %sixth, %k) : (tensor<40xf64>, tensor<f64>, tensor<40xf64>) -> tensor<40xf64>
  return %next : tensor<40xf64>
}

// Through a face between two cells heat flows as through two resistors in a row.
func.func private @history(%unknown: tensor<3xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>, %h: tensor<f64>,
                           %like: tensor<100x5xf64>) -> tensor<100x40xf64> {
  %k = lathe.exp %unknown : tensor<3xf64>
  %cell = lathe.gather %k, %material axis 0 : tensor<3xf64>, tensor<40xi32>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %resistance = lathe.div %one, %cell : tensor<f64>, tensor<40xf64>
  %first = lathe.slice %resistance from [0] to [1] : tensor<40xf64>
  %last = lathe.slice %resistance from [39] to [40] : tensor<40xf64>
  %left = lathe.concatenate %first, %resistance dim 0 : tensor<1xf64>, tensor<40xf64>
  %right = lathe.concatenate %resistance, %last dim 0 : tensor<40xf64>, tensor<1xf64>
  %sum = lathe.add %left, %right : tensor<41xf64>
  %two = lathe.constant dense<2.0> : tensor<f64>
  %face = lathe.div %two, %sum : tensor<f64>, tensor<41xf64>
  %end, %all = lathe.scan carry(%u = %start : tensor<40xf64>) over(%ignored = %like : tensor<100x5xf64>) checkpoint sqrt
      -> (tensor<40xf64>, tensor<100x40xf64>) {
    %next = lathe.scan carry(%v = %u : tensor<40xf64>) trip 8 -> tensor<40xf64> {
      %w = func.call @step(%v, %face, %h) : (tensor<40xf64>, tensor<41xf64>, tensor<f64>) -> tensor<40xf64>
      lathe.yield carry(%w : tensor<40xf64>)
    }
    lathe.yield carry(%next : tensor<40xf64>) collect(%next : tensor<40xf64>)
  }
  return %all : tensor<100x40xf64>
}

func.func private @shown(%unknown: tensor<3xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>, %h: tensor<f64>,
                         %places: tensor<5xi32>, %like: tensor<100x5xf64>) -> tensor<100x5xf64> {
  %all = func.call @history(%unknown, %material, %start, %h, %like)
      : (tensor<3xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<100x5xf64>) -> tensor<100x40xf64>
  %shown = lathe.gather %all, %places axis 1 : tensor<100x40xf64>, tensor<5xi32>
  return %shown : tensor<100x5xf64>
}

func.func private @misfit(%measured: tensor<100x5xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>, %h: tensor<f64>,
                          %places: tensor<5xi32>) -> tensor<f64> {
  %unknown = lathe.read @unknown : tensor<3xf64>
  %shown = func.call @shown(%unknown, %material, %start, %h, %places, %measured)
      : (tensor<3xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<5xi32>, tensor<100x5xf64>) -> tensor<100x5xf64>
  %mean = lathe.std.mse %shown, %measured : tensor<100x5xf64>
  return %mean : tensor<f64>
}

func.func @fit(%measured: tensor<100x5xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>,
               %h: tensor<f64>, %places: tensor<5xi32>, %rate: tensor<f64>) -> (tensor<f64> {lathe.name = "misfit"}) {
  %misfit = lathe.minimize @misfit(%measured, %material, %start, %h, %places) with adam<> learning_rate %rate : tensor<f64>
      : (tensor<100x5xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<5xi32>) -> tensor<f64>
  return %misfit : tensor<f64>
}

func.func @temperatures(%measured: tensor<100x5xf64>, %material: tensor<40xi32>,
                        %start: tensor<40xf64>, %h: tensor<f64>) -> (tensor<100x40xf64> {lathe.name = "temperatures"}) {
  %unknown = lathe.read @unknown : tensor<3xf64>
  %all = func.call @history(%unknown, %material, %start, %h, %measured)
      : (tensor<3xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<100x5xf64>) -> tensor<100x40xf64>
  return %all : tensor<100x40xf64>
}

func.func private @along(%unknown: tensor<3xf64>, %direction: tensor<3xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>,
                         %h: tensor<f64>, %places: tensor<5xi32>, %like: tensor<100x5xf64>) -> tensor<100x5xf64> {
  %shown, %slope = lathe.jvp @shown(%unknown, %material, %start, %h, %places, %like) tangents(%direction) wrt [0]
      : (tensor<3xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<5xi32>, tensor<100x5xf64>), (tensor<3xf64>)
      -> (tensor<100x5xf64>, tensor<100x5xf64>)
  return %slope : tensor<100x5xf64>
}

// As in pendulum.mlir.
func.func @errors(%measured: tensor<100x5xf64>, %material: tensor<40xi32>, %start: tensor<40xf64>,
                  %h: tensor<f64>, %places: tensor<5xi32>) -> (tensor<3xf64> {lathe.name = "errors"}) {
  %unknown = lathe.read @unknown : tensor<3xf64>
  %i = lathe.iota dim 0 to [3, 3] : i32
  %j = lathe.iota dim 1 to [3, 3] : i32
  %same = lathe.compare eq %i, %j : tensor<3x3xi32>
  %unit = lathe.convert %same to f64 : tensor<3x3xi1>
  %slopes = lathe.vmap @along(%unknown, %unit, %material, %start, %h, %places, %measured) in [none, 0, none, none, none, none, none]
      : (tensor<3xf64>, tensor<3x3xf64>, tensor<40xi32>, tensor<40xf64>, tensor<f64>, tensor<5xi32>, tensor<100x5xf64>) -> tensor<3x100x5xf64>
  %normal = lathe.dot_general %slopes, %slopes contract [1, 2] x [1, 2] : tensor<3x100x5xf64>
  %l = lathe.cholesky %normal : tensor<3x3xf64>
  %y = lathe.triangular_solve %l, %unit : tensor<3x3xf64>, tensor<3x3xf64>
  %square = lathe.mul %y, %y : tensor<3x3xf64>
  %variance = lathe.reduce sum %square dims [0] : tensor<3x3xf64>
  %errors = lathe.sqrt %variance : tensor<3xf64>
  return %errors : tensor<3xf64>
}

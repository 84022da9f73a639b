// A pendulum with friction, angle'' = -g / length sin(angle) - damping angle', and a fit of what is unknown of it.
// The variable holds log(length), log(damping), and angle and speed at the start; lengths in m, times in s, angles in rad.
// Entries: @init(seed); @fit, one step of Adam on the mean square of what measured angles are off; @swing, the angles;
// @errors, how far noise carries the four.
lathe.dim @T, 2 to 100000
lathe.variable @unknown : tensor<4xf64> init dense<[0.0, -2.0, 0.5, 0.0]> : tensor<4xf64>

func.func private @acceleration(%angle: tensor<f64>, %speed: tensor<f64>, %pull: tensor<f64>, %damping: tensor<f64>) -> tensor<f64> {
  %sin = lathe.sin %angle : tensor<f64>
  %down = lathe.mul %pull, %sin : tensor<f64>
  %brake = lathe.mul %damping, %speed : tensor<f64>
  %sum = lathe.add %down, %brake : tensor<f64>
  %a = lathe.neg %sum : tensor<f64>
  return %a : tensor<f64>
}

// x + h v, where the method of Runge and Kutta looks next.
func.func private @ahead(%x: tensor<f64>, %h: tensor<f64>, %v: tensor<f64>) -> tensor<f64> {
  %way = lathe.mul %h, %v : tensor<f64>
  %y = lathe.add %x, %way : tensor<f64>
  return %y : tensor<f64>
}

// x + h / 6 (k1 + 2 k2 + 2 k3 + k4)
func.func private @step(%x: tensor<f64>, %h: tensor<f64>, %k1: tensor<f64>, %k2: tensor<f64>, %k3: tensor<f64>, %k4: tensor<f64>) -> tensor<f64> {
  %ends = lathe.add %k1, %k4 : tensor<f64>
  %middle = lathe.add %k2, %k3 : tensor<f64>
  %two = lathe.constant dense<2.0> : tensor<f64>
  %twice = lathe.mul %two, %middle : tensor<f64>
  %sum = lathe.add %ends, %twice : tensor<f64>
  %six = lathe.constant dense<6.0> : tensor<f64>
  %k = lathe.div %sum, %six : tensor<f64>
  %y = func.call @ahead(%x, %h, %k) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// The angles at h, 2 h, 3 h ... as many as there are of `like`.
func.func private @angles(%unknown: tensor<4xf64>, %h: tensor<f64>, %like: tensor<?xf64>) -> tensor<?xf64> {
  %one = lathe.slice %unknown from [0] to [1] : tensor<4xf64>
  %two = lathe.slice %unknown from [1] to [2] : tensor<4xf64>
  %three = lathe.slice %unknown from [2] to [3] : tensor<4xf64>
  %four = lathe.slice %unknown from [3] to [4] : tensor<4xf64>
  %log_length = lathe.reshape %one to [] : tensor<1xf64>
  %log_damping = lathe.reshape %two to [] : tensor<1xf64>
  %angle0 = lathe.reshape %three to [] : tensor<1xf64>
  %speed0 = lathe.reshape %four to [] : tensor<1xf64>
  %length = lathe.exp %log_length : tensor<f64>
  %damping = lathe.exp %log_damping : tensor<f64>
  %g = lathe.constant dense<9.80665> : tensor<f64>
  %pull = lathe.div %g, %length : tensor<f64>
  %2 = lathe.constant dense<2.0> : tensor<f64>
  %half = lathe.div %h, %2 : tensor<f64>
  %x, %v, %angles = lathe.scan carry(%x = %angle0 : tensor<f64>, %v1 = %speed0 : tensor<f64>) over(%ignored = %like : tensor<?xf64>)
      -> (tensor<f64>, tensor<f64>, tensor<?xf64>) {
    %a1 = func.call @acceleration(%x, %v1, %pull, %damping) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %x2 = func.call @ahead(%x, %half, %v1) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %v2 = func.call @ahead(%v1, %half, %a1) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %a2 = func.call @acceleration(%x2, %v2, %pull, %damping) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %x3 = func.call @ahead(%x, %half, %v2) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %v3 = func.call @ahead(%v1, %half, %a2) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %a3 = func.call @acceleration(%x3, %v3, %pull, %damping) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %x4 = func.call @ahead(%x, %h, %v3) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %v4 = func.call @ahead(%v1, %h, %a3) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %a4 = func.call @acceleration(%x4, %v4, %pull, %damping) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %x_next = func.call @step(%x, %h, %v1, %v2, %v3, %v4)
        : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %v_next = func.call @step(%v1, %h, %a1, %a2, %a3, %a4)
        : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    lathe.yield carry(%x_next : tensor<f64>, %v_next : tensor<f64>) collect(%x_next : tensor<f64>)
  }
  return %angles : tensor<?xf64>
}

func.func private @misfit(%measured: tensor<?xf64>, %h: tensor<f64>) -> tensor<f64> {
  %unknown = lathe.read @unknown : tensor<4xf64>
  %angles = func.call @angles(%unknown, %h, %measured) : (tensor<4xf64>, tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %mean = lathe.std.mse %angles, %measured : tensor<?xf64>
  return %mean : tensor<f64>
}

func.func @fit(%measured: tensor<?xf64> {lathe.dims = #lathe.dims<T>}, %h: tensor<f64>, %rate: tensor<f64>) -> (tensor<f64> {lathe.name = "misfit"}) {
  %misfit = lathe.minimize @misfit(%measured, %h) with adam<> learning_rate %rate : tensor<f64>
      : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  return %misfit : tensor<f64>
}

func.func @swing(%measured: tensor<?xf64> {lathe.dims = #lathe.dims<T>}, %h: tensor<f64>) -> (tensor<?xf64> {lathe.name = "angles"}) {
  %unknown = lathe.read @unknown : tensor<4xf64>
  %angles = func.call @angles(%unknown, %h, %measured) : (tensor<4xf64>, tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %angles : tensor<?xf64>
}

// All four in one run of the solver, forward beside it.
func.func private @along(%unknown: tensor<4xf64>, %direction: tensor<4xf64>, %h: tensor<f64>, %like: tensor<?xf64>) -> tensor<?xf64> {
  %angles, %slope = lathe.jvp @angles(%unknown, %h, %like) tangents(%direction) wrt [0]
      : (tensor<4xf64>, tensor<f64>, tensor<?xf64>), (tensor<4xf64>) -> (tensor<?xf64>, tensor<?xf64>)
  return %slope : tensor<?xf64>
}

// What noise of size 1 in each angle makes of the unknown: the roots of the diagonal of inverse(slopes slopes^T), which is
// y^T y where l y = 1 and l l^T = slopes slopes^T.
func.func @errors(%measured: tensor<?xf64> {lathe.dims = #lathe.dims<T>}, %h: tensor<f64>) -> (tensor<4xf64> {lathe.name = "errors"}) {
  %unknown = lathe.read @unknown : tensor<4xf64>
  %i = lathe.iota dim 0 to [4, 4] : i32
  %j = lathe.iota dim 1 to [4, 4] : i32
  %same = lathe.compare eq %i, %j : tensor<4x4xi32>
  %unit = lathe.convert %same to f64 : tensor<4x4xi1>
  %slopes = lathe.vmap @along(%unknown, %unit, %h, %measured) in [none, 0, none, none]
      : (tensor<4xf64>, tensor<4x4xf64>, tensor<f64>, tensor<?xf64>) -> tensor<4x?xf64>
  %normal = lathe.dot_general %slopes, %slopes contract [1] x [1] : tensor<4x?xf64>
  %l = lathe.cholesky %normal : tensor<4x4xf64>
  %y = lathe.triangular_solve %l, %unit : tensor<4x4xf64>, tensor<4x4xf64>
  %square = lathe.mul %y, %y : tensor<4x4xf64>
  %variance = lathe.reduce sum %square dims [0] : tensor<4x4xf64>
  %errors = lathe.sqrt %variance : tensor<4xf64>
  return %errors : tensor<4xf64>
}

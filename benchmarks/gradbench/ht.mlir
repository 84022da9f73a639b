// Hand tracking as ADBench has it: V vertices of a hand of 22 bones, posed by 26 parameters, and C points that are each observed
// near a place of a triangle, given by two coordinates of its own. What the points are off, derived by all parameters (26 columns)
// and by the two coordinates (2 columns: a point moves with its own).
//   bone = parent . relative . rotation (4 x 4; angles about x, z and y), vertex = sum over bones of weight . bone . inverse . place

// One bone's rotation R_z R_y R_x by three angles, in a matrix of 4 x 4.
func.func private @turn(%angles: tensor<3xf64>) -> tensor<4x4xf64> {
  %cos = lathe.cos %angles : tensor<3xf64>
  %sin = lathe.sin %angles : tensor<3xf64>
  %cx = lathe.slice %cos from [0] to [1] : tensor<3xf64>
  %cz = lathe.slice %cos from [1] to [2] : tensor<3xf64>
  %cy = lathe.slice %cos from [2] to [3] : tensor<3xf64>
  %sx = lathe.slice %sin from [0] to [1] : tensor<3xf64>
  %sz = lathe.slice %sin from [1] to [2] : tensor<3xf64>
  %sy = lathe.slice %sin from [2] to [3] : tensor<3xf64>
  %o = lathe.constant dense<0.0> : tensor<1xf64>
  %i = lathe.constant dense<1.0> : tensor<1xf64>
  %mx = lathe.neg %sx : tensor<1xf64>
  %my = lathe.neg %sy : tensor<1xf64>
  %mz = lathe.neg %sz : tensor<1xf64>
  %xs = lathe.concatenate %i, %o, %o, %o, %cx, %mx, %o, %sx, %cx dim 0 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>,
      tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
  %ys = lathe.concatenate %cy, %o, %sy, %o, %i, %o, %my, %o, %cy dim 0 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>,
      tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
  %zs = lathe.concatenate %cz, %mz, %o, %sz, %cz, %o, %o, %o, %i dim 0 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>,
      tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
  %x = lathe.reshape %xs to [3, 3] : tensor<9xf64>
  %y = lathe.reshape %ys to [3, 3] : tensor<9xf64>
  %z = lathe.reshape %zs to [3, 3] : tensor<9xf64>
  %zy = lathe.dot_general %z, %y contract [1] x [0] : tensor<3x3xf64>, tensor<3x3xf64>
  %zyx = lathe.dot_general %zy, %x contract [1] x [0] : tensor<3x3xf64>, tensor<3x3xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %wide = lathe.pad %zyx, %zero low [0, 0] high [1, 1] interior [0, 0] : tensor<3x3xf64>, tensor<f64>
  %corner = lathe.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf64>
  %turn = lathe.add %wide, %corner : tensor<4x4xf64>
  return %turn : tensor<4x4xf64>
}

// The rotation by the angle |a| about a: cos I + sin [u] + (1 - cos) u u', u = a / |a|; of hardly any rotation the unit matrix.
func.func private @rotation(%a: tensor<3xf64>) -> tensor<3x3xf64> {
  %squares = lathe.mul %a, %a : tensor<3xf64>
  %square = lathe.reduce sum %squares dims [0] : tensor<3xf64>
  %least = lathe.constant dense<1.0e-8> : tensor<f64>
  %turns = lathe.compare ge %square, %least : tensor<f64>
  %unit = lathe.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %rotation = lathe.if %turns -> tensor<3x3xf64> {
    %cross = lathe.constant dense<[[[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
                                   [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]> : tensor<3x3x3xf64>
    %one = lathe.constant dense<1.0> : tensor<f64>
    %angle = lathe.sqrt %square : tensor<f64>
    %axis = lathe.div %a, %angle : tensor<3xf64>, tensor<f64>
    %sin = lathe.sin %angle : tensor<f64>
    %cos = lathe.cos %angle : tensor<f64>
    %rest = lathe.sub %one, %cos : tensor<f64>
    %column = lathe.reshape %axis to [3, 1] : tensor<3xf64>
    %outer = lathe.mul %column, %axis : tensor<3x1xf64>, tensor<3xf64>
    %beside = lathe.dot_general %axis, %cross contract [0] x [0] : tensor<3xf64>, tensor<3x3x3xf64>
    %r1 = lathe.mul %unit, %cos : tensor<3x3xf64>, tensor<f64>
    %r2 = lathe.mul %beside, %sin : tensor<3x3xf64>, tensor<f64>
    %r3 = lathe.mul %outer, %rest : tensor<3x3xf64>, tensor<f64>
    %r12 = lathe.add %r1, %r2 : tensor<3x3xf64>
    %r = lathe.add %r12, %r3 : tensor<3x3xf64>
    lathe.yield %r : tensor<3x3xf64>
  } else {
    lathe.yield %unit : tensor<3x3xf64>
  }
  return %rotation : tensor<3x3xf64>
}

// The bones' matrices: the wrist, five fingers of four bones in a row, all five at once, and the forearm.
func.func private @bones(%theta: tensor<26xf64>, %relative: tensor<22x4x4xf64>) -> tensor<22x4x4xf64> {
  %place = lathe.constant dense<[[-1, -1, -1], [-1, -1, -1], [6, 7, -1], [8, -1, -1], [9, -1, -1], [-1, -1, -1], [10, 11, -1],
      [12, -1, -1], [13, -1, -1], [-1, -1, -1], [14, 15, -1], [16, -1, -1], [17, -1, -1], [-1, -1, -1], [18, 19, -1], [20, -1, -1],
      [21, -1, -1], [-1, -1, -1], [22, 23, -1], [24, -1, -1], [25, -1, -1], [-1, -1, -1]]> : tensor<22x3xi32>
  %angles = lathe.gather %theta, %place axis 0 : tensor<26xf64>, tensor<22x3xi32>
  %turns = lathe.vmap @turn(%angles) in [0] : (tensor<22x3xf64>) -> tensor<22x4x4xf64>
  %own = lathe.dot_general %relative, %turns contract [2] x [1] batch [0] x [0] : tensor<22x4x4xf64>, tensor<22x4x4xf64>
  %wrist1 = lathe.slice %own from [0, 0, 0] to [1, 4, 4] : tensor<22x4x4xf64>
  %wrist = lathe.reshape %wrist1 to [4, 4] : tensor<1x4x4xf64>
  %fingers = lathe.slice %own from [1, 0, 0] to [21, 4, 4] : tensor<22x4x4xf64>
  %arm1 = lathe.slice %own from [21, 0, 0] to [22, 4, 4] : tensor<22x4x4xf64>
  %rows = lathe.reshape %fingers to [5, 4, 4, 4] : tensor<20x4x4xf64>
  %i1 = lathe.slice %rows from [0, 0, 0, 0] to [5, 1, 4, 4] : tensor<5x4x4x4xf64>
  %i2 = lathe.slice %rows from [0, 1, 0, 0] to [5, 2, 4, 4] : tensor<5x4x4x4xf64>
  %i3 = lathe.slice %rows from [0, 2, 0, 0] to [5, 3, 4, 4] : tensor<5x4x4x4xf64>
  %i4 = lathe.slice %rows from [0, 3, 0, 0] to [5, 4, 4, 4] : tensor<5x4x4x4xf64>
  %j1 = lathe.reshape %i1 to [5, 4, 4] : tensor<5x1x4x4xf64>
  %j2 = lathe.reshape %i2 to [5, 4, 4] : tensor<5x1x4x4xf64>
  %j3 = lathe.reshape %i3 to [5, 4, 4] : tensor<5x1x4x4xf64>
  %j4 = lathe.reshape %i4 to [5, 4, 4] : tensor<5x1x4x4xf64>
  %wrists = lathe.broadcast %wrist dims [1, 2] to [5, 4, 4] : tensor<4x4xf64>
  %b1 = lathe.dot_general %wrists, %j1 contract [2] x [1] batch [0] x [0] : tensor<5x4x4xf64>, tensor<5x4x4xf64>
  %b2 = lathe.dot_general %b1, %j2 contract [2] x [1] batch [0] x [0] : tensor<5x4x4xf64>, tensor<5x4x4xf64>
  %b3 = lathe.dot_general %b2, %j3 contract [2] x [1] batch [0] x [0] : tensor<5x4x4xf64>, tensor<5x4x4xf64>
  %b4 = lathe.dot_general %b3, %j4 contract [2] x [1] batch [0] x [0] : tensor<5x4x4xf64>, tensor<5x4x4xf64>
  %arm = lathe.reshape %arm1 to [4, 4] : tensor<1x4x4xf64>
  %forearm = lathe.dot_general %wrist, %arm contract [1] x [0] : tensor<4x4xf64>, tensor<4x4xf64>
  %c1 = lathe.reshape %b1 to [5, 1, 4, 4] : tensor<5x4x4xf64>
  %c2 = lathe.reshape %b2 to [5, 1, 4, 4] : tensor<5x4x4xf64>
  %c3 = lathe.reshape %b3 to [5, 1, 4, 4] : tensor<5x4x4xf64>
  %c4 = lathe.reshape %b4 to [5, 1, 4, 4] : tensor<5x4x4xf64>
  %hand = lathe.concatenate %c1, %c2, %c3, %c4 dim 1 : tensor<5x1x4x4xf64>, tensor<5x1x4x4xf64>, tensor<5x1x4x4xf64>, tensor<5x1x4x4xf64>
  %twenty = lathe.reshape %hand to [20, 4, 4] : tensor<5x4x4x4xf64>
  %last = lathe.reshape %forearm to [1, 4, 4] : tensor<4x4xf64>
  %all = lathe.concatenate %wrist1, %twenty, %last dim 0 : tensor<1x4x4xf64>, tensor<20x4x4xf64>, tensor<1x4x4xf64>
  return %all : tensor<22x4x4xf64>
}

func.func private @vertices(%theta: tensor<26xf64>, %relative: tensor<22x4x4xf64>, %inverse: tensor<22x4x4xf64>, %places: tensor<?x4xf64>,
                            %weights: tensor<?x22xf64>) -> tensor<?x3xf64> {
  %bones = func.call @bones(%theta, %relative) : (tensor<26xf64>, tensor<22x4x4xf64>) -> tensor<22x4x4xf64>
  %moves = lathe.dot_general %bones, %inverse contract [2] x [1] batch [0] x [0] : tensor<22x4x4xf64>, tensor<22x4x4xf64>
  %rows = lathe.slice %moves from [0, 0, 0] to [22, 3, 4] : tensor<22x4x4xf64>
  %moved = lathe.dot_general %places, %rows contract [1] x [2] : tensor<?x4xf64>, tensor<22x3x4xf64>
  %skin = lathe.dot_general %weights, %moved contract [1] x [1] batch [0] x [0] : tensor<?x22xf64>, tensor<?x22x3xf64>
  %axis = lathe.slice %theta from [0] to [3] : tensor<26xf64>
  %shift = lathe.slice %theta from [3] to [6] : tensor<26xf64>
  %rotation = func.call @rotation(%axis) : (tensor<3xf64>) -> tensor<3x3xf64>
  %turned = lathe.dot_general %skin, %rotation contract [1] x [1] : tensor<?x3xf64>, tensor<3x3xf64>
  %vertices = lathe.add %turned, %shift : tensor<?x3xf64>, tensor<3xf64>
  return %vertices : tensor<?x3xf64>
}

func.func private @errors(%theta: tensor<26xf64>, %us: tensor<?x2xf64>, %relative: tensor<22x4x4xf64>, %inverse: tensor<22x4x4xf64>,
                          %places: tensor<?x4xf64>, %weights: tensor<?x22xf64>, %corners: tensor<?x3xi32>, %points: tensor<?x3xf64>)
    -> tensor<?x3xf64> {
  %vertices = func.call @vertices(%theta, %relative, %inverse, %places, %weights)
      : (tensor<26xf64>, tensor<22x4x4xf64>, tensor<22x4x4xf64>, tensor<?x4xf64>, tensor<?x22xf64>) -> tensor<?x3xf64>
  %at = lathe.gather %vertices, %corners axis 0 : tensor<?x3xf64>, tensor<?x3xi32>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %sum = lathe.reduce sum %us dims [1] : tensor<?x2xf64>
  %rest = lathe.sub %one, %sum : tensor<f64>, tensor<?xf64>
  %column = lathe.reshape %rest to [C, 1] : tensor<?xf64>
  %shares = lathe.concatenate %us, %column dim 1 : tensor<?x2xf64>, tensor<?x1xf64>
  %found = lathe.dot_general %shares, %at contract [1] x [1] batch [0] x [0] : tensor<?x3xf64>, tensor<?x3x3xf64>
  %errors = lathe.sub %points, %found : tensor<?x3xf64>
  return %errors : tensor<?x3xf64>
}

func.func private @along_theta(%theta: tensor<26xf64>, %us: tensor<?x2xf64>, %relative: tensor<22x4x4xf64>, %inverse: tensor<22x4x4xf64>,
                               %places: tensor<?x4xf64>, %weights: tensor<?x22xf64>, %corners: tensor<?x3xi32>, %points: tensor<?x3xf64>,
                               %t: tensor<26xf64>) -> tensor<?x3xf64> {
  %errors, %column = lathe.jvp @errors(%theta, %us, %relative, %inverse, %places, %weights, %corners, %points) tangents(%t) wrt [0]
      : (tensor<26xf64>, tensor<?x2xf64>, tensor<22x4x4xf64>, tensor<22x4x4xf64>, tensor<?x4xf64>, tensor<?x22xf64>, tensor<?x3xi32>,
         tensor<?x3xf64>), (tensor<26xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>)
  return %column : tensor<?x3xf64>
}

func.func private @along_us(%theta: tensor<26xf64>, %us: tensor<?x2xf64>, %relative: tensor<22x4x4xf64>, %inverse: tensor<22x4x4xf64>,
                            %places: tensor<?x4xf64>, %weights: tensor<?x22xf64>, %corners: tensor<?x3xi32>, %points: tensor<?x3xf64>,
                            %t: tensor<2xf64>) -> tensor<?x3xf64> {
  %ts = lathe.broadcast %t dims [1] to [C, 2] : tensor<2xf64>
  %errors, %column = lathe.jvp @errors(%theta, %us, %relative, %inverse, %places, %weights, %corners, %points) tangents(%ts) wrt [1]
      : (tensor<26xf64>, tensor<?x2xf64>, tensor<22x4x4xf64>, tensor<22x4x4xf64>, tensor<?x4xf64>, tensor<?x22xf64>, tensor<?x3xi32>,
         tensor<?x3xf64>), (tensor<?x2xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>)
  return %column : tensor<?x3xf64>
}

func.func @derivative(%theta: tensor<26xf64>, %us: tensor<?x2xf64> {lathe.dims = #lathe.dims<C>}, %relative: tensor<22x4x4xf64>,
                      %inverse: tensor<22x4x4xf64>, %places: tensor<?x4xf64> {lathe.dims = #lathe.dims<V>},
                      %weights: tensor<?x22xf64> {lathe.dims = #lathe.dims<V>}, %corners: tensor<?x3xi32> {lathe.dims = #lathe.dims<C>},
                      %points: tensor<?x3xf64> {lathe.dims = #lathe.dims<C>}) -> (tensor<28x?x3xf64> {lathe.name = "columns"}) {
  %i = lathe.iota dim 0 to [26, 26] : i32
  %j = lathe.iota dim 1 to [26, 26] : i32
  %same = lathe.compare eq %i, %j : tensor<26x26xi32>
  %units = lathe.convert %same to f64 : tensor<26x26xi1>
  %both = lathe.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %by_theta = lathe.vmap @along_theta(%theta, %us, %relative, %inverse, %places, %weights, %corners, %points, %units)
      in [none, none, none, none, none, none, none, none, 0]
      : (tensor<26xf64>, tensor<?x2xf64>, tensor<22x4x4xf64>, tensor<22x4x4xf64>, tensor<?x4xf64>, tensor<?x22xf64>, tensor<?x3xi32>,
         tensor<?x3xf64>, tensor<26x26xf64>) -> tensor<26x?x3xf64>
  %by_us = lathe.vmap @along_us(%theta, %us, %relative, %inverse, %places, %weights, %corners, %points, %both)
      in [none, none, none, none, none, none, none, none, 0]
      : (tensor<26xf64>, tensor<?x2xf64>, tensor<22x4x4xf64>, tensor<22x4x4xf64>, tensor<?x4xf64>, tensor<?x22xf64>, tensor<?x3xi32>,
         tensor<?x3xf64>, tensor<2x2xf64>) -> tensor<2x?x3xf64>
  %columns = lathe.concatenate %by_us, %by_theta dim 0 : tensor<2x?x3xf64>, tensor<26x?x3xf64>
  return %columns : tensor<28x?x3xf64>
}

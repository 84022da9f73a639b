// Bundle adjustment (Srajer, Kukelova, Fitzgibbon 2018, as ADBench computes it): what P sightings of M points by N cameras are off,
// and how that changes with all that is unknown. A camera is [r1 r2 r3 | C1 C2 C3 | f | u0 v0 | k1 k2]: rotation by the angle |r|
// about r, centre, focal length, principal point, radial distortion.
//   p = rotated(X - C), a = (p1, p2) / p3, s = |a|^2, error = w (f (1 + k1 s + k2 s^2) a + (u0, v0) - sighting)
// and of each weight w the error 1 - w^2. The Jacobian is sparse: of each sighting two rows by 11 + 3 + 1 unknowns.

func.func private @cross(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %next = lathe.constant dense<[1, 2, 0]> : tensor<3xi32>
  %last = lathe.constant dense<[2, 0, 1]> : tensor<3xi32>
  %a1 = lathe.gather %a, %next axis 0 : tensor<3xf64>, tensor<3xi32>
  %a2 = lathe.gather %a, %last axis 0 : tensor<3xf64>, tensor<3xi32>
  %b1 = lathe.gather %b, %next axis 0 : tensor<3xf64>, tensor<3xi32>
  %b2 = lathe.gather %b, %last axis 0 : tensor<3xf64>, tensor<3xi32>
  %first = lathe.mul %a1, %b2 : tensor<3xf64>
  %second = lathe.mul %a2, %b1 : tensor<3xf64>
  %c = lathe.sub %first, %second : tensor<3xf64>
  return %c : tensor<3xf64>
}

// Rodrigues's formula; of no rotation its limit, with the slopes of that.
func.func private @rotated(%r: tensor<3xf64>, %x: tensor<3xf64>) -> tensor<3xf64> {
  %squares = lathe.mul %r, %r : tensor<3xf64>
  %square = lathe.reduce sum %squares dims [0] : tensor<3xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %turns = lathe.compare ne %square, %zero : tensor<f64>
  %rotated = lathe.if %turns -> tensor<3xf64> {
    %one = lathe.constant dense<1.0> : tensor<f64>
    %angle = lathe.sqrt %square : tensor<f64>
    %axis = lathe.div %r, %angle : tensor<3xf64>, tensor<f64>
    %cos = lathe.cos %angle : tensor<f64>
    %sin = lathe.sin %angle : tensor<f64>
    %beside = func.call @cross(%axis, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %products = lathe.mul %axis, %x : tensor<3xf64>
    %product = lathe.reduce sum %products dims [0] : tensor<3xf64>
    %rest = lathe.sub %one, %cos : tensor<f64>
    %along = lathe.mul %product, %rest : tensor<f64>
    %p1 = lathe.mul %x, %cos : tensor<3xf64>, tensor<f64>
    %p2 = lathe.mul %beside, %sin : tensor<3xf64>, tensor<f64>
    %p3 = lathe.mul %axis, %along : tensor<3xf64>, tensor<f64>
    %p12 = lathe.add %p1, %p2 : tensor<3xf64>
    %p = lathe.add %p12, %p3 : tensor<3xf64>
    lathe.yield %p : tensor<3xf64>
  } else {
    %beside = func.call @cross(%r, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %p = lathe.add %x, %beside : tensor<3xf64>
    lathe.yield %p : tensor<3xf64>
  }
  return %rotated : tensor<3xf64>
}

func.func private @reprojection(%camera: tensor<11xf64>, %x: tensor<3xf64>, %w: tensor<f64>, %sighting: tensor<2xf64>) -> tensor<2xf64> {
  %r = lathe.slice %camera from [0] to [3] : tensor<11xf64>
  %centre = lathe.slice %camera from [3] to [6] : tensor<11xf64>
  %f = lathe.slice %camera from [6] to [7] : tensor<11xf64>
  %middle = lathe.slice %camera from [7] to [9] : tensor<11xf64>
  %k1 = lathe.slice %camera from [9] to [10] : tensor<11xf64>
  %k2 = lathe.slice %camera from [10] to [11] : tensor<11xf64>
  %seen = lathe.sub %x, %centre : tensor<3xf64>
  %p = func.call @rotated(%r, %seen) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %xy = lathe.slice %p from [0] to [2] : tensor<3xf64>
  %z = lathe.slice %p from [2] to [3] : tensor<3xf64>
  %a = lathe.div %xy, %z : tensor<2xf64>, tensor<1xf64>
  %aa = lathe.mul %a, %a : tensor<2xf64>
  %s = lathe.reduce sum %aa dims [0] : tensor<2xf64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %k2s = lathe.mul %k2, %s : tensor<1xf64>, tensor<f64>
  %k = lathe.add %k1, %k2s : tensor<1xf64>
  %ks = lathe.mul %k, %s : tensor<1xf64>, tensor<f64>
  %scale = lathe.add %ks, %one : tensor<1xf64>, tensor<f64>
  %distorted = lathe.mul %a, %scale : tensor<2xf64>, tensor<1xf64>
  %pixels = lathe.mul %distorted, %f : tensor<2xf64>, tensor<1xf64>
  %image = lathe.add %pixels, %middle : tensor<2xf64>
  %off = lathe.sub %image, %sighting : tensor<2xf64>
  %error = lathe.mul %off, %w : tensor<2xf64>, tensor<f64>
  return %error : tensor<2xf64>
}

func.func private @weight(%w: tensor<f64>) -> tensor<f64> {
  %one = lathe.constant dense<1.0> : tensor<f64>
  %square = lathe.mul %w, %w : tensor<f64>
  %error = lathe.sub %one, %square : tensor<f64>
  return %error : tensor<f64>
}

func.func @objective(%cameras: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %points: tensor<?x3xf64> {lathe.dims = #lathe.dims<M>},
                     %w: tensor<?xf64> {lathe.dims = #lathe.dims<P>}, %camera: tensor<?xi32> {lathe.dims = #lathe.dims<P>},
                     %point: tensor<?xi32> {lathe.dims = #lathe.dims<P>}, %sightings: tensor<?x2xf64> {lathe.dims = #lathe.dims<P>})
    -> (tensor<?x2xf64> {lathe.name = "errors"}, tensor<?xf64> {lathe.name = "weight_errors"}) {
  %c = lathe.gather %cameras, %camera axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %x = lathe.gather %points, %point axis 0 : tensor<?x3xf64>, tensor<?xi32>
  %errors = lathe.vmap @reprojection(%c, %x, %w, %sightings) in [0, 0, 0, 0]
      : (tensor<?x11xf64>, tensor<?x3xf64>, tensor<?xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %weights = lathe.vmap @weight(%w) in [0] : (tensor<?xf64>) -> tensor<?xf64>
  return %errors, %weights : tensor<?x2xf64>, tensor<?xf64>
}

// One row of the two of a sighting: the cotangents of all unknowns for a cotangent of the error.
func.func private @row(%camera: tensor<11xf64>, %x: tensor<3xf64>, %w: tensor<f64>, %sighting: tensor<2xf64>, %c: tensor<2xf64>)
    -> (tensor<11xf64>, tensor<3xf64>, tensor<f64>) {
  %error, %dcamera, %dx, %dw = lathe.vjp @reprojection(%camera, %x, %w, %sighting) cotangents(%c) wrt [0, 1, 2]
      : (tensor<11xf64>, tensor<3xf64>, tensor<f64>, tensor<2xf64>), (tensor<2xf64>)
      -> (tensor<2xf64>, tensor<11xf64>, tensor<3xf64>, tensor<f64>)
  return %dcamera, %dx, %dw : tensor<11xf64>, tensor<3xf64>, tensor<f64>
}
func.func private @block(%camera: tensor<11xf64>, %x: tensor<3xf64>, %w: tensor<f64>, %sighting: tensor<2xf64>) -> tensor<2x15xf64> {
  %unit = lathe.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %dcamera, %dx, %dw = lathe.vmap @row(%camera, %x, %w, %sighting, %unit) in [none, none, none, none, 0]
      : (tensor<11xf64>, tensor<3xf64>, tensor<f64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<2x11xf64>, tensor<2x3xf64>, tensor<2xf64>)
  %column = lathe.reshape %dw to [2, 1] : tensor<2xf64>
  %block = lathe.concatenate %dcamera, %dx, %column dim 1 : tensor<2x11xf64>, tensor<2x3xf64>, tensor<2x1xf64>
  return %block : tensor<2x15xf64>
}
func.func private @weight_slope(%w: tensor<f64>) -> tensor<f64> {
  %error, %slope = lathe.value_and_grad @weight(%w) wrt [0] : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %slope : tensor<f64>
}

func.func @jacobian(%cameras: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %points: tensor<?x3xf64> {lathe.dims = #lathe.dims<M>},
                    %w: tensor<?xf64> {lathe.dims = #lathe.dims<P>}, %camera: tensor<?xi32> {lathe.dims = #lathe.dims<P>},
                    %point: tensor<?xi32> {lathe.dims = #lathe.dims<P>}, %sightings: tensor<?x2xf64> {lathe.dims = #lathe.dims<P>})
    -> (tensor<?x2x15xf64> {lathe.name = "blocks"}, tensor<?xf64> {lathe.name = "weight_slopes"}) {
  %c = lathe.gather %cameras, %camera axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %x = lathe.gather %points, %point axis 0 : tensor<?x3xf64>, tensor<?xi32>
  %blocks = lathe.vmap @block(%c, %x, %w, %sightings) in [0, 0, 0, 0]
      : (tensor<?x11xf64>, tensor<?x3xf64>, tensor<?xf64>, tensor<?x2xf64>) -> tensor<?x2x15xf64>
  %slopes = lathe.vmap @weight_slope(%w) in [0] : (tensor<?xf64>) -> tensor<?xf64>
  return %blocks, %slopes : tensor<?x2x15xf64>, tensor<?xf64>
}

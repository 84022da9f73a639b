// Solvers of equations that a function of the graph gives: `function @f`, which is called with the values of `with %a, %b`
// behind its own arguments. What newton and fixed_point have a derivative by must come that way, variables too.

/// y + factor * x.
template @add_scaled(%y: float, %x: float, factor: real) {
  %factor = lathe.constant dense<$factor> : tensor<${element(%x)}>
  %part = lathe.mul %x, %factor
  %sum = lathe.add %y, %part
  return %sum
}

/// The y(t1) of y' = f(y, t, with), y(t0) = %y, by `steps` equal steps of the classical Runge-Kutta method of order 4
/// (Kutta 1901), and all of the steps' ends as [steps, ...]. Times are numbers of y's type, in either order. Derivatives are
/// those of the steps; a reverse one keeps what `checkpoint` says of them.
template @rk4(%y: float, %t0: float, %t1: float, %with*: any, function: function, steps: int, checkpoint: checkpoint) {
  if rank(%t0) != 0 {
    fail "operand 1 't0' has rank ${rank(%t0)}; expected a number"
  }
  if rank(%t1) != 0 {
    fail "operand 2 't1' has rank ${rank(%t1)}; expected a number"
  }
  if steps < 1 {
    fail "'steps' is $steps; expected 1 or more"
  }
  %count = lathe.constant dense<${steps * 1.0}> : tensor<${element(%y)}>
  %two = lathe.constant dense<2.0> : tensor<${element(%y)}>
  %six = lathe.constant dense<6.0> : tensor<${element(%y)}>
  %span = lathe.sub %t1, %t0
  %step = lathe.div %span, %count
  %half = lathe.div %step, %two
  %sixth = lathe.div %step, %six
  %index = lathe.iota dim 0 to [$steps] : ${element(%y)}
  %end, %path = lathe.scan carry(%now = %y) over(%i = %index) $checkpoint {
    %gone = lathe.mul %i, %step
    %t = lathe.add %t0, %gone
    %middle = lathe.add %t, %half
    %after = lathe.add %t, %step
    %k1 = call $function(%now, %t, %with...) -> %now
    %d1 = lathe.mul %k1, %half
    %y1 = lathe.add %now, %d1
    %k2 = call $function(%y1, %middle, %with...) -> %now
    %d2 = lathe.mul %k2, %half
    %y2 = lathe.add %now, %d2
    %k3 = call $function(%y2, %middle, %with...) -> %now
    %d3 = lathe.mul %k3, %step
    %y3 = lathe.add %now, %d3
    %k4 = call $function(%y3, %after, %with...) -> %now
    %inner = lathe.add %k2, %k3
    %twice = lathe.mul %inner, %two
    %outer = lathe.add %k1, %k4
    %slopes = lathe.add %outer, %twice
    %change = lathe.mul %slopes, %sixth
    %next = lathe.add %now, %change
    lathe.yield carry(%next) collect(%next)
  }
  return %end, %path
}

/// One step of length %h of the method of Dormand and Prince (1980): y(t + h) by its formula of order 5, and how far that is from
/// the one of order 4, an estimate of the latter's error.
template @dopri5_step(%y: float, %t: float, %h: float, %with*: any, function: function) {
  %k1 = call $function(%y, %t, %with...) -> %y
  %s1 = lathe.mul %k1, %h
  %t2 = lathe.std.add_scaled %t, %h factor ${1.0 / 5.0}
  %y2 = lathe.std.add_scaled %y, %s1 factor ${1.0 / 5.0}
  %k2 = call $function(%y2, %t2, %with...) -> %y
  %s2 = lathe.mul %k2, %h
  %t3 = lathe.std.add_scaled %t, %h factor ${3.0 / 10.0}
  %y3 = lathe.std.add_scaled %y, %s1 factor ${3.0 / 40.0}
  %y3 = lathe.std.add_scaled %y3, %s2 factor ${9.0 / 40.0}
  %k3 = call $function(%y3, %t3, %with...) -> %y
  %s3 = lathe.mul %k3, %h
  %t4 = lathe.std.add_scaled %t, %h factor ${4.0 / 5.0}
  %y4 = lathe.std.add_scaled %y, %s1 factor ${44.0 / 45.0}
  %y4 = lathe.std.add_scaled %y4, %s2 factor ${-56.0 / 15.0}
  %y4 = lathe.std.add_scaled %y4, %s3 factor ${32.0 / 9.0}
  %k4 = call $function(%y4, %t4, %with...) -> %y
  %s4 = lathe.mul %k4, %h
  %t5 = lathe.std.add_scaled %t, %h factor ${8.0 / 9.0}
  %y5 = lathe.std.add_scaled %y, %s1 factor ${19372.0 / 6561.0}
  %y5 = lathe.std.add_scaled %y5, %s2 factor ${-25360.0 / 2187.0}
  %y5 = lathe.std.add_scaled %y5, %s3 factor ${64448.0 / 6561.0}
  %y5 = lathe.std.add_scaled %y5, %s4 factor ${-212.0 / 729.0}
  %k5 = call $function(%y5, %t5, %with...) -> %y
  %s5 = lathe.mul %k5, %h
  %t6 = lathe.add %t, %h
  %y6 = lathe.std.add_scaled %y, %s1 factor ${9017.0 / 3168.0}
  %y6 = lathe.std.add_scaled %y6, %s2 factor ${-355.0 / 33.0}
  %y6 = lathe.std.add_scaled %y6, %s3 factor ${46732.0 / 5247.0}
  %y6 = lathe.std.add_scaled %y6, %s4 factor ${49.0 / 176.0}
  %y6 = lathe.std.add_scaled %y6, %s5 factor ${-5103.0 / 18656.0}
  %k6 = call $function(%y6, %t6, %with...) -> %y
  %s6 = lathe.mul %k6, %h
  %end = lathe.std.add_scaled %y, %s1 factor ${35.0 / 384.0}
  %end = lathe.std.add_scaled %end, %s3 factor ${500.0 / 1113.0}
  %end = lathe.std.add_scaled %end, %s4 factor ${125.0 / 192.0}
  %end = lathe.std.add_scaled %end, %s5 factor ${-2187.0 / 6784.0}
  %end = lathe.std.add_scaled %end, %s6 factor ${11.0 / 84.0}
  %k7 = call $function(%end, %t6, %with...) -> %y
  %s7 = lathe.mul %k7, %h
  %factor = lathe.constant dense<${71.0 / 57600.0}> : tensor<${element(%y)}>
  %error = lathe.mul %s1, %factor
  %error = lathe.std.add_scaled %error, %s3 factor ${-71.0 / 16695.0}
  %error = lathe.std.add_scaled %error, %s4 factor ${71.0 / 1920.0}
  %error = lathe.std.add_scaled %error, %s5 factor ${-17253.0 / 339200.0}
  %error = lathe.std.add_scaled %error, %s6 factor ${22.0 / 525.0}
  %error = lathe.std.add_scaled %error, %s7 factor ${-1.0 / 40.0}
  return %end, %error
}

/// As rk4, by `steps` equal steps of order 5 of Dormand and Prince.
template @dopri5(%y: float, %t0: float, %t1: float, %with*: any, function: function, steps: int, checkpoint: checkpoint) {
  if rank(%t0) != 0 {
    fail "operand 1 't0' has rank ${rank(%t0)}; expected a number"
  }
  if rank(%t1) != 0 {
    fail "operand 2 't1' has rank ${rank(%t1)}; expected a number"
  }
  if steps < 1 {
    fail "'steps' is $steps; expected 1 or more"
  }
  %count = lathe.constant dense<${steps * 1.0}> : tensor<${element(%y)}>
  %span = lathe.sub %t1, %t0
  %step = lathe.div %span, %count
  %index = lathe.iota dim 0 to [$steps] : ${element(%y)}
  %end, %path = lathe.scan carry(%now = %y) over(%i = %index) $checkpoint {
    %gone = lathe.mul %i, %step
    %t = lathe.add %t0, %gone
    %next, %error = lathe.std.dopri5_step %now, %t, %step ${when(with, "with %with...")} function $function
    lathe.yield carry(%next) collect(%next)
  }
  return %end, %path
}

/// As rk4, by steps of order 5 of Dormand and Prince whose lengths are chosen on the way: such that the root mean square of the
/// error estimates, each over `absolute` + `relative` * |y|, is at most 1 in each step. The first one tried is the share `first` of
/// the time. Results are y(t1) and the number of steps that were tried, an i32; more than `bound` are LATHE_ERROR_BOUND.
/// Derivatives are those of the steps taken, their lengths being fixed.
template @dopri5_adaptive(%y: float, %t0: float, %t1: float, %with*: any, function: function, relative: real = 1.0e-6,
                          absolute: real = 1.0e-6, first: real = 0.01, bound: int = 1000, checkpoint: checkpoint) {
  if rank(%t0) != 0 {
    fail "operand 1 't0' has rank ${rank(%t0)}; expected a number"
  }
  if rank(%t1) != 0 {
    fail "operand 2 't1' has rank ${rank(%t1)}; expected a number"
  }
  if bound < 1 {
    fail "'bound' is $bound; expected 1 or more"
  }
  if relative < 0.0 {
    fail "'relative' is $relative; expected 0 or more"
  }
  if absolute < 0.0 {
    fail "'absolute' is $absolute; expected 0 or more"
  }
  if relative + absolute == 0.0 {
    fail "'relative' and 'absolute' are 0; expected one of them to be more, the error that is allowed"
  }
  if first <= 0.0 {
    fail "'first' is $first; expected more than 0"
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%y)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%y)}>
  %relative = lathe.constant dense<$relative> : tensor<${element(%y)}>
  %absolute = lathe.constant dense<$absolute> : tensor<${element(%y)}>
  %first = lathe.constant dense<$first> : tensor<${element(%y)}>
  %careful = lathe.constant dense<0.9> : tensor<${element(%y)}>
  %root = lathe.constant dense<-0.2> : tensor<${element(%y)}>
  %shrink = lathe.constant dense<0.2> : tensor<${element(%y)}>
  %grow = lathe.constant dense<5.0> : tensor<${element(%y)}>
  %none = lathe.constant dense<0> : tensor<i32>
  %unit = lathe.constant dense<1> : tensor<i32>
  %span = lathe.sub %t1, %t0
  %share = lathe.mul %span, %first
  %start = lathe.stop_gradient %share
  %end, %time, %last, %steps = lathe.while carry(%now = %y, %t = %t0, %h = %start, %n = %none) bound $bound $checkpoint {
    %left = lathe.sub %t1, %t
    %go = lathe.compare ne %left, %zero
    lathe.condition %go
  } do {
    %left = lathe.sub %t1, %t
    %length = lathe.abs %h
    %rest = lathe.abs %left
    %final = lathe.compare ge %length, %rest
    %step = lathe.select %final, %left, %h
    %next, %error = lathe.std.dopri5_step %now, %t, %step ${when(with, "with %with...")} function $function
    // Nothing of how long steps are has a derivative.
    %miss = lathe.stop_gradient %error
    %from = lathe.abs %now
    %to = lathe.abs %next
    %larger = lathe.max %from, %to
    %size = lathe.stop_gradient %larger
    %allowed = lathe.mul %size, %relative
    %scale = lathe.add %allowed, %absolute
    %ratio = lathe.div %miss, %scale
    %squares = lathe.mul %ratio, %ratio
    %mean = lathe.std.mean %squares
    %norm = lathe.sqrt %mean
    %good = lathe.compare le %norm, %one
    %known = lathe.compare eq %norm, %norm
    %power = lathe.pow %norm, %root
    %wanted = lathe.mul %power, %careful
    %within = lathe.clamp %shrink, %wanted, %grow
    %factor = lathe.select %known, %within, %shrink
    %fixed = lathe.stop_gradient %step
    %h_next = lathe.mul %fixed, %factor
    %gone = lathe.add %t, %step
    %reached = lathe.select %final, %t1, %gone
    %t_next = lathe.select %good, %reached, %t
    %y_next = lathe.select %good, %next, %now
    %n_next = lathe.add %n, %unit
    lathe.yield carry(%y_next, %t_next, %h_next, %n_next)
  }
  return %end, %steps
}

/// The inverse of a square matrix, by Gauss and Jordan's elimination with the largest pivot of each column. Of a singular one it
/// has infinities or NaN.
template @inverse(%a: float) {
  if rank(%a) != 2 {
    fail "operand 0 'a' has rank ${rank(%a)}; expected a matrix"
  }
  if extent(%a, 0) != extent(%a, 1) {
    fail "operand 0 'a' is [${shape(%a)}]; expected a square matrix"
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%a)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%a)}>
  %minus = lathe.constant dense<-1.0> : tensor<${element(%a)}>
  %none = lathe.constant dense<0> : tensor<i32>
  %index = lathe.iota dim 0 to [${extent(%a, 0)}] : i32
  %row = lathe.iota dim 0 to [${extent(%a, 0)}, ${extent(%a, 0)}] : i32
  %column = lathe.iota dim 1 to [${extent(%a, 0)}, ${extent(%a, 0)}] : i32
  %diagonal = lathe.compare eq %row, %column
  %unit = lathe.select %diagonal, %one, %zero
  %both = lathe.concatenate %a, %unit dim 1
  %done = lathe.scan carry(%m = %both) over(%k = %index) {
    %entries = lathe.dynamic_slice %m [%none, %k] size [${extent(%a, 0)}, 1] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %line = lathe.reshape %entries to [${extent(%a, 0)}]
    %sizes = lathe.abs %line
    %below = lathe.compare ge %index, %k
    %open = lathe.select %below, %sizes, %minus
    %pivot = lathe.argmax %open dim 0
    %upper = lathe.dynamic_slice %m [%k, %none] size [1, ${extent(%a, 0) * 2}] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %lower = lathe.dynamic_slice %m [%pivot, %none] size [1, ${extent(%a, 0) * 2}] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %swapped = lathe.dynamic_update_slice %m, %upper [%pivot, %none] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, ${type([1, extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %divisor = lathe.dynamic_slice %lower [%none, %k] size [1, 1] : ${type([1, extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %scaled = lathe.div %lower, %divisor
    %factors = lathe.dynamic_slice %swapped [%none, %k] size [${extent(%a, 0)}, 1] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    %tall = lathe.reshape %index to [${extent(%a, 0)}, 1]
    %own = lathe.compare eq %tall, %k
    %others = lathe.select %own, %zero, %factors
    %taken = lathe.mul %others, %scaled
    %left = lathe.sub %swapped, %taken
    %next = lathe.dynamic_update_slice %left, %scaled [%k, %none] : ${type([extent(%a, 0), extent(%a, 0) * 2], element(%a))}, ${type([1, extent(%a, 0) * 2], element(%a))}, (tensor<i32>, tensor<i32>)
    lathe.yield carry(%next)
  }
  %y = lathe.slice %done from [0, ${extent(%a, 0)}] to [${extent(%a, 0)}, ${extent(%a, 0) * 2}]
  return %y
}

/// -y da y of the inverse y and a change da.
tangent @inverse(%a: float, %tangents*: float) {
  %y = lathe.std.inverse %a
  %da = %tangents...
  %half = lathe.dot_general %y, %da contract [1] x [0]
  %product = lathe.dot_general %half, %y contract [1] x [0]
  %dy = lathe.neg %product
  return %y, %dy
}

/// The x of a x = b of a square matrix and a vector, or the columns of a matrix: its inverse times b, mended once by the same of
/// what is left.
template @solve(%a: float, %b: float) {
  if rank(%b) < 1 {
    fail "operand 1 'b' has rank 0; expected a vector, or a matrix of columns"
  }
  %inverse = lathe.std.inverse %a
  %x = lathe.dot_general %inverse, %b contract [1] x [0]
  %product = lathe.dot_general %a, %x contract [1] x [0]
  %left = lathe.sub %b, %product
  %change = lathe.dot_general %inverse, %left contract [1] x [0]
  %y = lathe.add %x, %change
  return %y
}

/// @f(x, with), and the matrix of its derivatives, m by n where the value has m elements and x n: entry i, j is that of element i
/// of the value by element j of x. The value is of the type of %like, a tensor whose numbers do not matter; without it of x's.
template @jacobian(%x: float, %like?: float, %with*: any, function: function) {
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%x)}>
  %row = lathe.iota dim 0 to [${count(%x, range(0, rank(%x)))}, ${count(%x, range(0, rank(%x)))}] : i32
  %column = lathe.iota dim 1 to [${count(%x, range(0, rank(%x)))}, ${count(%x, range(0, rank(%x)))}] : i32
  %diagonal = lathe.compare eq %row, %column
  %units = lathe.select %diagonal, %one, %zero
  if like {
    %y = call $function(%x, %with...) -> %like
  } else {
    %y = call $function(%x, %with...) -> %x
  }
  %changes = lathe.scan over(%unit = %units) {
    %along = lathe.reshape %unit to [${shape(%x)}]
    if like {
      %value, %change = lathe.jvp $function(%x, %with...) tangents(%along) wrt [0] -> %like, %like
      %line = lathe.reshape %change to [${count(%like, range(0, rank(%like)))}]
    } else {
      %value, %change = lathe.jvp $function(%x, %with...) tangents(%along) wrt [0] -> %x, %x
      %line = lathe.reshape %change to [${count(%x, range(0, rank(%x)))}]
    }
    lathe.yield collect(%line)
  }
  %matrix = lathe.transpose %changes [1, 0]
  return %y, %matrix
}

/// The x with f(x, with) = 0, near %x, by Newton's method: steps of J^-1 f, J being the derivatives of f by x, until the largest
/// change of an element is at most `tolerance` * (1 + the largest element). More than `bound` steps, or a NaN on the way, are
/// LATHE_ERROR_BOUND. Results are x and the number of steps, an i32. The derivative is that of the equation, by the values of
/// `with`, to every order, however x was found: dx = -J^-1 (df/da da); %x, where the search begins, has none. Of halves a
/// `tolerance` below their rounding may be one that no step meets.
template @newton(%x: float, %with*: any, function: function, tolerance: real = 1.0e-6, bound: int = 50) {
  if bound < 1 {
    fail "'bound' is $bound; expected 1 or more"
  }
  if tolerance <= 0.0 {
    fail "'tolerance' is $tolerance; expected more than 0"
  }
  %none = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %no = lathe.constant dense<false> : tensor<i1>
  %root, %near, %steps = lathe.while carry(%now = %x, %done = %no, %n = %none) bound $bound {
    %go = lathe.not %done
    lathe.condition %go
  } do {
    %value, %slopes = lathe.std.jacobian %now ${when(with, "with %with...")} function $function
    %flat = lathe.reshape %value to [${count(%x, range(0, rank(%x)))}]
    %change = lathe.std.solve %slopes, %flat
    %shaped = lathe.reshape %change to [${shape(%x)}]
    %next = lathe.sub %now, %shaped
    // A function of halves knows no other x: the search is among them, and ends where a step leads to the same one.
    if half != none {
      if element(%now) == f32 {
        %seen = lathe.convert %next to $half
        %next = lathe.convert %seen to f32
      }
    }
    %close = lathe.std.close_to %next, %now tolerance $tolerance
    %m = lathe.add %n, %one
    lathe.yield carry(%next, %close, %m)
  }
  return %root, %steps
}

/// -J^-1 (df/da da) at the root.
tangent @newton(%x: float, %with*: any, %tangents*: float, function: function, tolerance: real = 1.0e-6, bound: int = 50) {
  %root, %steps = lathe.std.newton %x ${when(with, "with %with...")} function $function tolerance $tolerance bound $bound
  %start, %changes... = %tangents...
  if floats(%with, 1) == [] {
    %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
    %moved = lathe.broadcast %zero dims [] to [${shape(%x)}]
  } else {
    %same, %by_with = lathe.jvp $function(%root, %with...) tangents(%changes...) wrt [${floats(%with, 1)}] -> %x, %x
    %value, %slopes = lathe.std.jacobian %root ${when(with, "with %with...")} function $function
    %inverse = lathe.std.inverse %slopes
    %flat = lathe.reshape %by_with to [${count(%x, range(0, rank(%x)))}]
    %change = lathe.dot_general %inverse, %flat contract [1] x [0]
    %minus = lathe.neg %change
    %moved = lathe.reshape %minus to [${shape(%x)}]
  }
  return %root, %steps, %moved
}

/// Whether no element of a differs from b's by more than `tolerance` * (1 + the largest element of b), and none is NaN.
template @close_to(%a: float, %b: float, tolerance: real = 1.0e-6) {
  %one = lathe.constant dense<1.0> : tensor<${element(%a)}>
  %tolerance = lathe.constant dense<$tolerance> : tensor<${element(%a)}>
  %difference = lathe.sub %a, %b
  %sizes = lathe.abs %difference
  %most = lathe.std.max %sizes
  %own = lathe.abs %b
  %largest = lathe.std.max %own
  %above = lathe.add %largest, %one
  %allowed = lathe.mul %above, %tolerance
  %y = lathe.compare le %most, %allowed
  return %y
}

/// The x = f(x, with) that %x, f(%x), f(f(%x)) and so on come to: until the largest change of an element is at most `tolerance`
/// * (1 + the largest element). More than `bound` steps, or a NaN on the way, are LATHE_ERROR_BOUND. Results are x and the number
/// of steps, an i32. The derivative is that of the equation, by the values of `with`, to every order: dx = (I - J)^-1 (df/da da),
/// J being the derivatives of f by x; %x has none. `implicit dense` makes J and inverts I - J; `implicit iteration`, for an x of
/// many elements, takes `bound` steps of dx = J dx + df/da da, of which each costs a derivative of f and shrinks the error as a
/// step of x does.
template @fixed_point(%x: float, %with*: any, function: function, tolerance: real = 1.0e-6, bound: int = 100,
                      implicit: one_of(dense, iteration) = dense) {
  if bound < 1 {
    fail "'bound' is $bound; expected 1 or more"
  }
  if tolerance <= 0.0 {
    fail "'tolerance' is $tolerance; expected more than 0"
  }
  %none = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %no = lathe.constant dense<false> : tensor<i1>
  %end, %near, %steps = lathe.while carry(%now = %x, %done = %no, %n = %none) bound $bound {
    %go = lathe.not %done
    lathe.condition %go
  } do {
    %next = call $function(%now, %with...) -> %x
    %close = lathe.std.close_to %next, %now tolerance $tolerance
    %m = lathe.add %n, %one
    lathe.yield carry(%next, %close, %m)
  }
  return %end, %steps
}

/// (I - J)^-1 (df/da da) at the end.
tangent @fixed_point(%x: float, %with*: any, %tangents*: float, function: function, tolerance: real = 1.0e-6, bound: int = 100,
                     implicit: one_of(dense, iteration) = dense) {
  %end, %steps = lathe.std.fixed_point %x ${when(with, "with %with...")} function $function tolerance $tolerance bound $bound implicit $implicit
  %start, %changes... = %tangents...
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  %still = lathe.broadcast %zero dims [] to [${shape(%x)}]
  if floats(%with, 1) == [] {
    %moved = %still
  } else {
    %same, %by_with = lathe.jvp $function(%end, %with...) tangents(%changes...) wrt [${floats(%with, 1)}] -> %x, %x
    if implicit == dense {
      %value, %slopes = lathe.std.jacobian %end ${when(with, "with %with...")} function $function
      %row = lathe.iota dim 0 to [${count(%x, range(0, rank(%x)))}, ${count(%x, range(0, rank(%x)))}] : i32
      %column = lathe.iota dim 1 to [${count(%x, range(0, rank(%x)))}, ${count(%x, range(0, rank(%x)))}] : i32
      %diagonal = lathe.compare eq %row, %column
      %one = lathe.constant dense<1.0> : tensor<${element(%x)}>
      %units = lathe.select %diagonal, %one, %zero
      %left = lathe.sub %units, %slopes
      %inverse = lathe.std.inverse %left
      %flat = lathe.reshape %by_with to [${count(%x, range(0, rank(%x)))}]
      %change = lathe.dot_general %inverse, %flat contract [1] x [0]
      %moved = lathe.reshape %change to [${shape(%x)}]
    } else {
      %moved = lathe.scan carry(%t = %still) trip $bound {
        %value, %along = lathe.jvp $function(%end, %with...) tangents(%t) wrt [0] -> %x, %x
        %next = lathe.add %along, %by_with
        lathe.yield carry(%next)
      }
    }
  }
  return %end, %steps, %moved
}

// Solvers of equations that a function of the graph gives: `function @f`, which is called with the values of `with %a, %b`
// behind its own arguments.

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

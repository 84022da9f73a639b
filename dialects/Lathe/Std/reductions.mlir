// Reductions that can keep their dimensions, at extent 1, so that the result broadcasts against the operand.

/// The sum along `dims`, all by default. With `keep` these stay, 1 long.
template @sum(%x: number, dims: dims = all, keep: flag) {
  %reduced = lathe.reduce sum %x dims [$dims]
  if not keep {
    return %reduced
  } else {
    %kept = lathe.reshape %reduced to [${kept(%x, dims)}]
    return %kept
  }
}

/// The largest element along `dims`; NaN if one is. With `keep` these stay, 1 long.
template @max(%x: number, dims: dims = all, keep: flag) moves {
  %reduced = lathe.reduce max %x dims [$dims]
  if not keep {
    return %reduced
  } else {
    %kept = lathe.reshape %reduced to [${kept(%x, dims)}]
    return %kept
  }
}

/// The smallest element along `dims`; NaN if one is. With `keep` these stay, 1 long.
template @min(%x: number, dims: dims = all, keep: flag) moves {
  %reduced = lathe.reduce min %x dims [$dims]
  if not keep {
    return %reduced
  } else {
    %kept = lathe.reshape %reduced to [${kept(%x, dims)}]
    return %kept
  }
}

/// How many elements there are along `dims`, as an i64.
template @count(%x: any, dims: dims = all) moves {
  %zero = lathe.constant dense<0> : tensor<i8>
  %line = lathe.broadcast %zero dims [] to [${count(%x, dims)}]
  %n = lathe.dim_size %line dim 0
  return %n
}

/// The mean along `dims`, all by default; NaN of no element. With `keep` these stay, 1 long.
template @mean(%x: float, dims: dims = all, keep: flag) {
  %count = lathe.std.count %x dims [$dims]
  %n = lathe.convert %count to ${element(%x)}
  if keep {
    %total = lathe.std.sum %x dims [$dims] keep
  } else {
    %total = lathe.std.sum %x dims [$dims]
  }
  %y = lathe.div %total, %n
  return %y
}

/// The mean squared distance from the mean along `dims`, all by default; `correction` is taken off the count (1 for a sample's
/// variance). With `keep` the dimensions stay, 1 long.
template @variance(%x: float, dims: dims = all, correction: int = 0, keep: flag) {
  %mean = lathe.std.mean %x dims [$dims] keep
  %centred = lathe.sub %x, %mean
  %squares = lathe.mul %centred, %centred
  %count = lathe.std.count %x dims [$dims]
  %n = lathe.convert %count to ${element(%x)}
  %correction = lathe.constant dense<${correction * 1.0}> : tensor<${element(%x)}>
  %divisor = lathe.sub %n, %correction
  if keep {
    %total = lathe.std.sum %squares dims [$dims] keep
  } else {
    %total = lathe.std.sum %squares dims [$dims]
  }
  %y = lathe.div %total, %divisor
  return %y
}

/// The Euclidean length along `dims`, all by default. Its slope at 0 is NaN. With `keep` the dimensions stay, 1 long.
template @norm(%x: float, dims: dims = all, keep: flag) {
  %squares = lathe.mul %x, %x
  if keep {
    %total = lathe.std.sum %squares dims [$dims] keep
  } else {
    %total = lathe.std.sum %squares dims [$dims]
  }
  %y = lathe.sqrt %total
  return %y
}

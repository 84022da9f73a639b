// Shapes and indices.

/// Part `index` of `of` equal parts along a dimension of static extent.
template @part(%x: any, dim: dim = -1, index: int, of: int) moves {
  if not is_static(extent(%x, dim)) {
    fail "dimension $dim is ${extent(%x, dim)} long; parts are taken of static extents"
  }
  if of < 1 {
    fail "'of' is $of; expected 1 or more"
  }
  if index < 0 {
    fail "'index' is $index; expected 0 to ${of - 1}"
  }
  if index >= of {
    fail "'index' is $index; expected 0 to ${of - 1}"
  }
  %y = lathe.slice %x from [${replaced(zeros(%x), dim, index * (extent(%x, dim) / of))}] to [${replaced(shape(%x), dim, (index + 1) * (extent(%x, dim) / of))}]
  return %y
}

/// 1 at each index and 0 elsewhere along a new last dimension of `size`; an index outside has no 1.
template @one_hot(%index: index, size: int, type: one_of(f32, f64, f16, bf16, i8, i32, i64) = f32) {
  %place = lathe.iota dim 0 to [$size] : ${element(%index)}
  %column = lathe.reshape %index to [${[shape(%index), 1]}]
  %here = lathe.compare eq %column, %place
  %y = lathe.convert %here to $type
  return %y
}

/// The rows of a table that ids name: [..., ids' dimensions ..., features]. An id outside of the table gives zeros.
template @embedding(%table: float, %ids: index) moves {
  %y = lathe.gather %table, %ids axis 0
  return %y
}

/// Which ragged row each of the leading elements of %values belongs to, as i32: row r has elements %offsets[r] up to, not
/// including, %offsets[r + 1]. -1 before the first row, the number of rows behind the last.
template @row_ids(%values: any, %offsets: index) moves {
  if rank(%offsets) != 1 {
    fail "operand 1 'offsets' must have rank 1: where each row begins, and the end; got rank ${rank(%offsets)}"
  }
  %zero = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %none = lathe.broadcast %zero dims [] to [${extent(%values, 0)}]
  %each = lathe.broadcast %one dims [] to [${extent(%offsets, 0)}]
  %begun = lathe.scatter add %none, %offsets, %each axis 0
  %count = lathe.cumulative sum %begun dim 0
  %y = lathe.sub %count, %one
  return %y
}

/// Sums over ragged rows: %values [T, ...] and %offsets [R + 1] give [R, ...]; 0 of an empty row.
template @segment_sum(%values: number, %offsets: index) {
  %rows = lathe.std.row_ids %values, %offsets
  %zero = lathe.constant dense<${zero(%values)}> : tensor<${element(%values)}>
  %none = lathe.broadcast %zero dims [] to [${replaced(shape(%values), 0, extent(%offsets, 0) - 1)}]
  %y = lathe.scatter add %none, %rows, %values axis 0
  return %y
}

/// Means over ragged rows; 0 of an empty row.
template @segment_mean(%values: float, %offsets: index) {
  %total = lathe.std.segment_sum %values, %offsets
  %one = lathe.constant dense<1> : tensor<${element(%offsets)}>
  %begin = lathe.pad %offsets, %one low [0] high [-1]
  %end = lathe.pad %offsets, %one low [-1] high [0]
  %length = lathe.sub %end, %begin
  %divisor = lathe.max %length, %one
  %real = lathe.convert %divisor to ${element(%values)}
  %wide = lathe.reshape %real to [${replaced(ones(%values), 0, extent(%offsets, 0) - 1)}]
  %y = lathe.div %total, %wide
  return %y
}

/// Largest elements over ragged rows; the smallest number, -inf of floats, of an empty row.
template @segment_max(%values: number, %offsets: index) moves {
  %rows = lathe.std.row_ids %values, %offsets
  %least = lathe.constant dense<${least(%values)}> : tensor<${element(%values)}>
  %none = lathe.broadcast %least dims [] to [${replaced(shape(%values), 0, extent(%offsets, 0) - 1)}]
  %y = lathe.scatter max %none, %rows, %values axis 0
  return %y
}

/// Probabilities within each ragged row: exp(x) over the sum of these in its row; 0 of what is in no row, whatever it is.
template @segment_softmax(%values: float, %offsets: index) {
  %rows = lathe.std.row_ids %values, %offsets
  %here = lathe.constant dense<1> : tensor<i32>
  %none = lathe.constant dense<0> : tensor<i32>
  %marks = lathe.broadcast %here dims [] to [${extent(%offsets, 0) - 1}]
  %mark = lathe.gather %marks, %rows axis 0
  %gap = lathe.compare eq %mark, %none
  %outside = lathe.reshape %gap to [${replaced(ones(%values), 0, extent(%values, 0))}]
  %zero = lathe.constant dense<0.0> : tensor<${element(%values)}>
  %one = lathe.constant dense<1.0> : tensor<${element(%values)}>
  %largest = lathe.std.segment_max %values, %offsets
  %own = lathe.gather %largest, %rows axis 0
  %fixed = lathe.stop_gradient %own
  %inside = lathe.select %outside, %zero, %values
  %shifted = lathe.sub %inside, %fixed
  %exp = lathe.exp %shifted
  %totals = lathe.std.segment_sum %exp, %offsets
  %total = lathe.gather %totals, %rows axis 0
  %divisor = lathe.select %outside, %one, %total
  %shares = lathe.div %exp, %divisor
  %y = lathe.select %outside, %zero, %shares
  return %y
}

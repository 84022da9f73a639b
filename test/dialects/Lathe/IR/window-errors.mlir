// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of an op over windows, as numbered in WindowOps.td.

// reduce_window_c1
func.func @reduce_window_c1(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reduce_window: 'window' has 1 entries for 2 dimensions}}
  %0 = lathe.reduce_window sum %x window [2] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// reduce_window_c1_pad
func.func @reduce_window_c1_pad(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reduce_window: 'pad' has 1 entries for 2 dimensions}}
  %0 = lathe.reduce_window sum %x window [1, 2] pad [[0, 1]] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// reduce_window_c2
func.func @reduce_window_c2(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reduce_window: 'stride' must be at least 1, got [1, 0]}}
  %0 = lathe.reduce_window sum %x window [1, 2] stride [1, 0] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// reduce_window_c3
func.func @reduce_window_c3(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reduce_window: the window spans 9 elements of dimension 1, which has 7 with its padding}}
  %0 = lathe.reduce_window sum %x window [1, 5] pad [[0, 0], [0, 1]] dilation [1, 2] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// reduce_window_c5
func.func @reduce_window_c5(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.reduce_window: the kind must be sum, product, max or min, got and}}
  %0 = lathe.reduce_window and %x window [2, 1] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// window_index_c1
func.func @window_index_c1(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_index: 'window' has 1 entries for 2 dimensions}}
  %0 = lathe.window_index max %x window [2] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// window_index_c2
func.func @window_index_c2(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_index: 'window' must be at least 1, got [1, 0]}}
  %0 = lathe.window_index max %x window [1, 0] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// window_index_c3
func.func @window_index_c3(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_index: the window spans 9 elements of dimension 1, which has 6 with its padding}}
  %0 = lathe.window_index max %x window [1, 9] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// window_gather_c1
func.func @window_gather_c1(%x: tensor<?x6xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_gather: 'window' has 1 entries for 2 dimensions}}
  %0 = lathe.window_gather %x, %t window [2] : tensor<?x6xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_gather_c2
func.func @window_gather_c2(%x: tensor<?x6xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_gather: 'window' must be at least 1, got [1, 0]}}
  %0 = lathe.window_gather %x, %t window [1, 0] : tensor<?x6xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_gather_c3
func.func @window_gather_c3(%x: tensor<?x6xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_gather: the window spans 9 elements of dimension 1, which has 6 with its padding}}
  %0 = lathe.window_gather %x, %t window [1, 9] : tensor<?x6xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_index_c5
func.func @window_index_c5(%x: tensor<?x6xf32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_index: the kind must be max or min, got sum}}
  %0 = lathe.window_index sum %x window [1, 2] : tensor<?x6xf32, #lathe.dims<N>>
  return
}

// -----

// window_gather_c5
func.func @window_gather_c5(%x: tensor<?x6xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_gather: operand 'taps' has shape [N, 5], expected [N, 4]}}
  %0 = lathe.window_gather %x, %t window [1, 3] : tensor<?x6xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_scatter_c1
func.func @window_scatter_c1(%y: tensor<?x5xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_scatter: 'window' has 1 entries for 2 dimensions}}
  %0 = lathe.window_scatter %y, %t to [N, 6] window [2] : tensor<?x5xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_scatter_c2
func.func @window_scatter_c2(%y: tensor<?x5xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_scatter: 'dilation' must be at least 1, got [1, -1]}}
  %0 = lathe.window_scatter %y, %t to [N, 6] window [1, 2] dilation [1, -1] : tensor<?x5xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_scatter_c3
func.func @window_scatter_c3(%y: tensor<?x5xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_scatter: the window spans 8 elements of dimension 1, which has 6 with its padding}}
  %0 = lathe.window_scatter %y, %t to [N, 6] window [1, 8] : tensor<?x5xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_scatter_c5
func.func @window_scatter_c5(%y: tensor<?x5xf32, #lathe.dims<N>>, %t: tensor<?x5xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_scatter: operand 'operand' has shape [N, 5], expected [N, 6]}}
  %0 = lathe.window_scatter %y, %t to [N, 7] window [1, 2] : tensor<?x5xf32, #lathe.dims<N>>, tensor<?x5xi32, #lathe.dims<N>>
  return
}

// -----

// window_scatter_c6
func.func @window_scatter_c6(%y: tensor<?x5xf32, #lathe.dims<N>>, %t: tensor<?x4xi32, #lathe.dims<N>>) {
  // expected-error @+1 {{lathe.window_scatter: operand 'taps' has shape [N, 4], expected [N, 5]}}
  %0 = lathe.window_scatter %y, %t to [N, 6] window [1, 2] : tensor<?x5xf32, #lathe.dims<N>>, tensor<?x4xi32, #lathe.dims<N>>
  return
}

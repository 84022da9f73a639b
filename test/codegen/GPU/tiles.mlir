// Products on tensor cores by tiles of each size, from operands that lie either way in memory and come in each way: copies of 16,
// 8 and 4 bytes, with zeros for what is outside or guarded, and elements through registers.
// RUN: lathec %s --target=cuda:sm_80 --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN --implicit-check-not=kernel_convert
// RUN: lathec %s --target=cuda:sm_80 --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_80 --math=fast --emit=ptx -o - | FileCheck %s --check-prefix=FAST
// RUN: lathec %s --target=cuda:sm_86 --emit=ptx -o - | FileCheck %s --check-prefix=LESS
// RUN: %cuda lathe-run %s halves --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s turned --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s singles --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s turned_singles --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s doubles --target=cuda:sm_80 --random --check --rtol 1e-12 --atol 1e-12
// RUN: %cuda lathe-run %s turned_doubles --target=cuda:sm_80 --random --check --rtol 1e-12 --atol 1e-12
// RUN: %cuda lathe-run %s few_rows --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s words --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s odd_halves --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s mixed --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s column --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s row --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s deep --target=cuda:sm_80 --random --check --rtol 1e-4 --atol 1e-4
// RUN: %cuda lathe-run %s deep_halves --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s image --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s image_lines --target=cuda:sm_80 --random --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s image_halves --target=cuda:sm_80 --random --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s named --target=cuda:sm_80 --random --dim N=131 --dim M=37 --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s named --target=cuda:sm_80 --random --dim N=1 --dim M=1 --check --rtol 2e-5 --atol 2e-5
// RUN: %cuda lathe-run %s named_halves --target=cuda:sm_80 --random --dim N=131 --check --rtol 1e-2 --atol 1e-2
// RUN: %cuda lathe-run %s singles --target=cuda:sm_80 --random --math=fast --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s turned_singles --target=cuda:sm_80 --random --math=fast --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s image --target=cuda:sm_80 --random --math=fast --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s named --target=cuda:sm_80 --random --dim N=131 --dim M=40 --math=fast --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s nan --target=cuda:sm_80 --input x=-1 --input y=2 --check
// RUN: %cuda lathe-run %s nan --target=cuda:sm_80 --input x=-1 --input y=2 --math=fast --check
// RUN: %cuda lathe-run %s odd_channels --target=cuda:sm_80 --random --check --rtol 2e-2 --atol 2e-2
// RUN: %cuda lathe-run %s strided --target=cuda:sm_80 --random --check --rtol 2e-2 --atol 2e-2
// RUN: %cuda lathe-run %s input_grad --target=cuda:sm_80 --random --check --rtol 2e-2 --atol 2e-2
// RUN: %cuda lathe-run %s filter_grad --target=cuda:sm_80 --random --check --rtol 2e-2 --atol 2e-2
// RUN: %cuda lathe-run %s depthwise --target=cuda:sm_80 --random --check --rtol 2e-2 --atol 2e-2
// RUN: %cuda lathe-run %s outer --target=cuda:sm_80 --random --check
// RUN: %cuda lathe-run %s order --target=cuda:sm_80 --random --expect out3=0 --rtol 0 --atol 0
// RUN: %cuda lathe-run %s order --target=cuda:sm_80 --random --math=fast --expect out3=0 --rtol 0 --atol 0

// Four stages of 16 KB for each of two blocks, three where a multiprocessor has less shared memory. The loop is not unrolled.
// CHECK: .extern .shared .align 1024 .b8 lathe_shared[]
// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: cp.async.cg.shared.global {{.*}}, 16, %r{{.*}};
// CHECK: cp.async.ca.shared.global {{.*}}, 8, %r{{.*}};
// CHECK: cp.async.wait_group 2;
// CHECK: cp.async.commit_group;
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: cp.async.wait_group 2;
// CHECK-NEXT: bar.sync 0;
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: .pragma "nounroll";
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
// LESS-LABEL: .visible .entry kernel_dot_general_
// LESS: cp.async.wait_group 1;
// LESS-NOT: cp.async.wait_group 2;
// LESS-LABEL: .visible .entry kernel_dot_general_

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK-COUNT-48: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: cp.async.wait_group 2;
// CHECK-COUNT-48: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// FAST-LABEL: .visible .entry kernel_dot_general_
// FAST-LABEL: .visible .entry kernel_dot_general_
// FAST-LABEL: .visible .entry kernel_dot_general_
// FAST-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// FAST: cp.async.wait_group 2;
// FAST-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

// Lines of 64 bytes along the depth, and of 256 along the columns; the last copies of these bring 8 bytes.
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_80: tiles of 128 x 128 on tensor cores, blocks of 128 threads
func.func @halves(%x: tensor<70x130x40xbf16>, %y: tensor<70x40x252xbf16>) -> tensor<70x130x252xbf16> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x130x40xbf16>, tensor<70x40x252xbf16>
  return %0 : tensor<70x130x252xbf16>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 128 x 128 on tensor cores, blocks of 128 threads
func.func @turned(%x: tensor<70x40x136xf16>, %y: tensor<70x252x40xf16>) -> tensor<70x136x252xf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [0] : tensor<70x40x136xf16>, tensor<70x252x40xf16>
  return %0 : tensor<70x136x252xf16>
}

// f32 needs twice as many sums: half the columns. With --math=fast the tile is that of halves.
// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 128 x 64 on tensor cores, blocks of 128 threads
func.func @singles(%x: tensor<70x130x36xf32>, %y: tensor<70x36x100xf32>) -> tensor<70x130x100xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x130x36xf32>, tensor<70x36x100xf32>
  return %0 : tensor<70x130x100xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 128 x 64 on tensor cores, blocks of 128 threads
func.func @turned_singles(%x: tensor<70x36x132xf32>, %y: tensor<70x100x36xf32>) -> tensor<70x132x100xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [0] : tensor<70x36x132xf32>, tensor<70x100x36xf32>
  return %0 : tensor<70x132x100xf32>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 64 x 64 on tensor cores, blocks of 128 threads
func.func @doubles(%x: tensor<70x70x20xf64>, %y: tensor<70x20x66xf64>) -> tensor<70x70x66xf64> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x70x20xf64>, tensor<70x20x66xf64>
  return %0 : tensor<70x70x66xf64>
}

func.func @turned_doubles(%x: tensor<70x20x70xf64>, %y: tensor<70x66x20xf64>) -> tensor<70x70x66xf64> {
  %0 = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [0] : tensor<70x20x70xf64>, tensor<70x66x20xf64>
  return %0 : tensor<70x70x66xf64>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 64 x 64 on tensor cores, blocks of 128 threads
func.func @few_rows(%x: tensor<270x64x16xf32>, %y: tensor<270x16x64xf32>) -> tensor<270x64x64xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<270x64x16xf32>, tensor<270x16x64xf32>
  return %0 : tensor<270x64x64xf32>
}

// Rows that are not a multiple of 8 bytes come word by word, those of halves of 2 bytes through registers.
// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 128 x 64 on tensor cores, blocks of 256 threads
func.func @words(%x: tensor<70x130x21xf32>, %y: tensor<70x21x101xf32>) -> tensor<70x130x101xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x130x21xf32>, tensor<70x21x101xf32>
  return %0 : tensor<70x130x101xf32>
}

func.func @odd_halves(%x: tensor<70x130x21xf16>, %y: tensor<70x21x101xf16>) -> tensor<70x130x101xf16> {
  %0 = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x130x21xf16>, tensor<70x21x101xf16>
  return %0 : tensor<70x130x101xf16>
}

func.func @mixed(%x: tensor<40x33xbf16>, %y: tensor<33x64xbf16>) -> tensor<40x64xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<40x33xbf16>, tensor<33x64xbf16>
  return %0 : tensor<40x64xbf16>
}

func.func @column(%x: tensor<200x40xf32>, %y: tensor<40x8xf32>) -> tensor<200x8xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<200x40xf32>, tensor<40x8xf32>
  return %0 : tensor<200x8xf32>
}

func.func @row(%x: tensor<8x40xbf16>, %y: tensor<40x200xbf16>) -> tensor<8x200xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<8x40xbf16>, tensor<40x200xbf16>
  return %0 : tensor<8x200xbf16>
}

// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 64 x 64 on tensor cores in 4 parts of the depth
func.func @deep(%x: tensor<64x4096xf32>, %y: tensor<4096x64xf32>) -> tensor<64x64xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<64x4096xf32>, tensor<4096x64xf32>
  return %0 : tensor<64x64xf32>
}

// If blocks divide the depth, there are enough of them for four warps each.
// EXPLAIN: [[#@LINE+2]]:8: remark: {{.*}} tiles of 64 x 64 on tensor cores in 4 parts of the depth, blocks of 128 threads
func.func @deep_halves(%x: tensor<512x4096xbf16>, %y: tensor<4096x448xbf16>) -> tensor<512x448xbf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<512x4096xbf16>, tensor<4096x448xbf16>
  return %0 : tensor<512x448xbf16>
}

// Zeros come in place of a convolution's padding, word by word where the number of channels is odd; halves with a guard.
func.func @image(%x: tensor<4x18x18x7xf32>, %w: tensor<3x3x7x70xf32>) -> tensor<4x18x18x70xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<4x18x18x7xf32>, tensor<3x3x7x70xf32>
  return %0 : tensor<4x18x18x70xf32>
}

func.func @image_lines(%x: tensor<4x18x18x8xf32>, %w: tensor<3x3x8x72xf32>) -> tensor<4x18x18x72xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<4x18x18x8xf32>, tensor<3x3x8x72xf32>
  return %0 : tensor<4x18x18x72xf32>
}

func.func @image_halves(%x: tensor<4x18x18x8xbf16>, %w: tensor<3x3x8x72xbf16>) -> tensor<4x18x18x72xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<4x18x18x8xbf16>, tensor<3x3x8x72xbf16>
  return %0 : tensor<4x18x18x72xbf16>
}

// Tiles of named sizes are large; elements outside are neither read nor stored.
func.func @named(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %y: tensor<?x200xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x200xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<?x?xf32>, tensor<?x200xf32>
  return %0 : tensor<?x200xf32>
}

func.func @named_halves(%x: tensor<?x72xf16> {lathe.dims = #lathe.dims<N>}, %y: tensor<200x72xf16>) -> tensor<?x200xf16> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<?x72xf16>, tensor<200x72xf16>
  return %0 : tensor<?x200xf16>
}

// The largest NaN, which is what instructions make, is one of tf32 too.
func.func @nan(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
  %0 = lathe.sqrt %x : tensor<64x32xf32>
  %1 = lathe.dot_general %0, %y contract [1] x [0] : tensor<64x32xf32>, tensor<32x64xf32>
  return %1, %0 : tensor<64x64xf32>, tensor<64x32xf32>
}

// The order of a sum is that of the depth whatever the tile, to the bit.
func.func @order(%x: tensor<70x130x200xf32>, %y: tensor<70x200x100xf32>) -> tensor<1x130x100xf32> {
  %all = lathe.dot_general %x, %y contract [2] x [1] batch [0] x [0] : tensor<70x130x200xf32>, tensor<70x200x100xf32>
  %0 = lathe.slice %x from [3, 0, 0] to [4, 130, 200] : tensor<70x130x200xf32>
  %1 = lathe.slice %y from [3, 0, 0] to [4, 200, 100] : tensor<70x200x100xf32>
  %one = lathe.dot_general %0, %1 contract [2] x [1] batch [0] x [0] : tensor<1x130x200xf32>, tensor<1x200x100xf32>
  %2 = lathe.slice %all from [3, 0, 0] to [4, 130, 100] : tensor<70x130x100xf32>
  %3 = lathe.sub %2, %one : tensor<1x130x100xf32>
  return %3 : tensor<1x130x100xf32>
}

// Without a depth there is no tile.
func.func @outer(%x: tensor<64xf32>, %y: tensor<48xf32>) -> tensor<64x48xf32> {
  %0 = lathe.dot_general %x, %y contract [] x [] : tensor<64xf32>, tensor<48xf32>
  return %0 : tensor<64x48xf32>
}

// Convolutions of halves and their derivatives multiply halves too: nothing is widened ahead.
func.func @odd_channels(%x: tensor<4x18x17x7xbf16>, %w: tensor<3x3x7x70xbf16>) -> tensor<4x18x17x70xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<4x18x17x7xbf16>, tensor<3x3x7x70xbf16>
  return %0 : tensor<4x18x17x70xbf16>
}
func.func @strided(%x: tensor<4x18x17x8xf16>, %w: tensor<3x3x8x72xf16>) -> tensor<4x9x9x72xf16> {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<4x18x17x8xf16>, tensor<3x3x8x72xf16>
  return %0 : tensor<4x9x9x72xf16>
}
func.func @input_grad(%y: tensor<4x18x17x72xbf16>, %w: tensor<3x3x8x72xbf16>) -> tensor<4x18x17x8xbf16> {
  %0 = lathe.conv_input_grad %y, %w input [18, 17] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x18x17x72xbf16>, tensor<3x3x8x72xbf16>
  return %0 : tensor<4x18x17x8xbf16>
}
func.func @filter_grad(%x: tensor<4x18x17x8xbf16>, %y: tensor<4x18x17x72xbf16>) -> tensor<3x3x8x72xbf16> {
  %0 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x18x17x8xbf16>, tensor<4x18x17x72xbf16>
  return %0 : tensor<3x3x8x72xbf16>
}
func.func @depthwise(%x: tensor<4x18x17x8xbf16>, %w: tensor<3x3x1x8xbf16>) -> tensor<4x18x17x8xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 8 : tensor<4x18x17x8xbf16>, tensor<3x3x1x8xbf16>
  return %0 : tensor<4x18x17x8xbf16>
}

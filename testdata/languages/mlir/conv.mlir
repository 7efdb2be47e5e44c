func.func @f(%I: memref<1x9x9x2xf32>, %K: memref<3x3x2x4xf32>, %O: memref<1x4x4x4xf32>, %P: memref<1x2x2x4xf32>, %w: memref<3x3xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%I, %K : memref<1x9x9x2xf32>, memref<3x3x2x4xf32>) outs(%O : memref<1x4x4x4xf32>)
  linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%O, %w : memref<1x4x4x4xf32>, memref<3x3xf32>) outs(%P : memref<1x2x2x4xf32>)
  return
}

; Two-dimensional convolution: Figure 2(a) of "Pure Tensor Program Rewriting via Access Patterns"
; (MAPS 2021), two 3-channel images of 32x32, eight 3x3 filters, stride 1, no padding.
; Result: 2x8x30x30.
(input activations (shape 2 3 32 32))
(input weights (shape 8 3 3 3))
(transpose
  (squeeze
    (compute dotProd
      (cartProd
        (windows (access activations 1) (shape 3 3 3) (shape 1 1 1))
        (access weights 1)))
    1)
  (list 0 3 1 2))

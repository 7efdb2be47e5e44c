; The convolution of conv2d.sexp as one matrix multiplication: Figure 5 of "Pure Tensor Program
; Rewriting via Access Patterns" (MAPS 2021), its ?shape filled in for these sizes.
(input activations (shape 2 3 32 32))
(input weights (shape 8 3 3 3))
(transpose
  (squeeze
    (reshape
      (compute dotProd
        (cartProd
          (flatten (windows (access activations 1) (shape 3 3 3) (shape 1 1 1)))
          (flatten (access weights 1))))
      (access-shape (shape 2 1 30 30 8) (shape)))
    1)
  (list 0 3 1 2))

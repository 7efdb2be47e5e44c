; The 32x32 multiplication in 16x16 blocks exactly as Figure 7 of "Pure Tensor Program Rewriting
; via Access Patterns" (MAPS 2021) prints it. The figure shows the two products that make up the
; first output block; the other six follow the same scheme: both slices of an operand move along
; axis 0 from the first product of a sum to the second, and the output block decides axis 1.
(input activations (shape 32 32))
(input weights (shape 32 32))
(concat
  (concat
    (compute reduceSum
      (pair
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 0 16) 1 0 16)
            (transpose
              (slice
                (slice (access weights 1) 0 0 16) 1 0 16)
              (list 1 0))))
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 16 32) 1 0 16)
            (transpose
              (slice
                (slice (access weights 1) 0 16 32) 1 0 16)
              (list 1 0))))))
    (compute reduceSum
      (pair
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 0 16) 1 0 16)
            (transpose
              (slice
                (slice (access weights 1) 0 0 16) 1 16 32)
              (list 1 0))))
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 16 32) 1 0 16)
            (transpose
              (slice
                (slice (access weights 1) 0 16 32) 1 16 32)
              (list 1 0))))))
    1)
  (concat
    (compute reduceSum
      (pair
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 0 16) 1 16 32)
            (transpose
              (slice
                (slice (access weights 1) 0 0 16) 1 0 16)
              (list 1 0))))
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 16 32) 1 16 32)
            (transpose
              (slice
                (slice (access weights 1) 0 16 32) 1 0 16)
              (list 1 0))))))
    (compute reduceSum
      (pair
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 0 16) 1 16 32)
            (transpose
              (slice
                (slice (access weights 1) 0 0 16) 1 16 32)
              (list 1 0))))
        (compute dotProd
          (cartProd
            (slice
              (slice (access activations 1) 0 16 32) 1 16 32)
            (transpose
              (slice
                (slice (access weights 1) 0 16 32) 1 16 32)
              (list 1 0))))))
    1)
  0)

; The 32x32 multiplication in 16x16 blocks: output block (i, j) is the sum over k of block (i, k) of
; the activations times block (k, j) of the weights.
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
              (slice (access activations 1) 0 0 16) 1 16 32)
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
              (slice (access activations 1) 0 0 16) 1 16 32)
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
              (slice (access activations 1) 0 16 32) 1 0 16)
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
              (slice (access activations 1) 0 16 32) 1 0 16)
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

; Matrix multiplication: Figure 2(b) of "Pure Tensor Program Rewriting via Access Patterns"
; (MAPS 2021), at the sizes of its Figure 7. Result: activations times weights, 32x32.
(input activations (shape 32 32))
(input weights (shape 32 32))
(compute dotProd
  (cartProd
    (access activations 1)
    (transpose (access weights 1) (list 1 0))))

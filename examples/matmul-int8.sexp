; A product of matrices as an 8-bit machine computes it: activations times weights, sums modulo 2^8.
(input activations (shape 32 32) int8)
(input weights (shape 32 32) int8)
(compute dot-product
  (access-cartesian-product
    (access activations 1)
    (access-transpose (access weights 1) (list 1 0))))

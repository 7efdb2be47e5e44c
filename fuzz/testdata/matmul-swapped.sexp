(input A (shape 4 4) int8)
(input B (shape 4 4) int8)
(access-transpose
  (compute dot-product
    (access-cartesian-product
      (access (access-transpose (access (access-tensor B) 1) (list 1 0)) 1)
      (access (access-tensor A) 1)))
  (list 1 0))

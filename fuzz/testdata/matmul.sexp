(input A (shape 4 4) int8)
(input B (shape 4 4) int8)
(compute dot-product
  (access-cartesian-product
    (access (access-tensor A) 1)
    (access (access-transpose (access (access-tensor B) 1) (list 1 0)) 1)))

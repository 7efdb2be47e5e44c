; A B for any sizes.
(input A (shape M K))
(input B (shape K N))
(compute dot-product
  (access-cartesian-product
    (access (access-tensor A) 1)
    (access-transpose (access (access-tensor B) 1) (list 1 0))))

; A (B C) for any sizes: the program of matmul-symbolic.sexp associated to the right.
(input A (shape M K))
(input B (shape K N))
(input C (shape N P))
(compute dot-product
  (access-cartesian-product
    (access (access-tensor A) 1)
    (access-transpose
      (access
        (compute dot-product
          (access-cartesian-product
            (access (access-tensor B) 1)
            (access-transpose (access (access-tensor C) 1) (list 1 0))))
        1)
      (list 1 0))))

; A (B C) with one slip: the axes of the inner product are not swapped before it is used as the
; right operand, which only sizes with K = P admit.
(input A (shape M K))
(input B (shape K N))
(input C (shape N P))
(compute dot-product
  (access-cartesian-product
    (access (access-tensor A) 1)
    (access
      (compute dot-product
        (access-cartesian-product
          (access (access-tensor B) 1)
          (access-transpose (access (access-tensor C) 1) (list 1 0))))
      1)))

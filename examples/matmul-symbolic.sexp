; (A B) C for any sizes.
(input A (shape M K))
(input B (shape K N))
(input C (shape N P))
(compute dot-product
  (access-cartesian-product
    (access
      (compute dot-product
        (access-cartesian-product
          (access (access-tensor A) 1)
          (access-transpose (access (access-tensor B) 1) (list 1 0))))
      1)
    (access-transpose (access (access-tensor C) 1) (list 1 0))))

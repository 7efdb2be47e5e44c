; A B with the summed axis cut in the middle, for any sizes; where K = 1 the first half is empty.
(input A (shape M K))
(input B (shape K N))
(compute reduce-sum
  (access-pair
    (compute dot-product
      (access-cartesian-product
        (access-slice (access (access-tensor A) 1) 1 0 (div K 2))
        (access-transpose
          (access-slice (access (access-tensor B) 1) 0 0 (div K 2))
          (list 1 0))))
    (compute dot-product
      (access-cartesian-product
        (access-slice (access (access-tensor A) 1) 1 (div K 2) K)
        (access-transpose
          (access-slice (access (access-tensor B) 1) 0 (div K 2) K)
          (list 1 0))))))

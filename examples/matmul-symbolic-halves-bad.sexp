; As matmul-symbolic-halves.sexp, but the second half ends at twice the middle: right for even K, and
; for odd K the last term is lost.
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
        (access-slice (access (access-tensor A) 1) 1 (div K 2) (* 2 (div K 2)))
        (access-transpose
          (access-slice (access (access-tensor B) 1) 0 (div K 2) (* 2 (div K 2)))
          (list 1 0))))))

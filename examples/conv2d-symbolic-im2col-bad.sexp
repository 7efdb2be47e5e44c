; As conv2d-symbolic-im2col.sexp with the two spatial sizes of ?shape swapped and swapped back by the
; last transpose: counts and shapes agree for all sizes, and the pixels are right only where H' or W'
; is 1.
(input activations (shape N C H W))
(input weights (shape O C Kh Kw))
(transpose
  (squeeze
    (reshape
      (compute dotProd
        (cartProd
          (flatten (windows (access activations 1) (shape C Kh Kw) (shape 1 Sh Sw)))
          (flatten (access weights 1))))
      (access-shape
        (shape N 1 (div (- (+ W Sw) Kw) Sw) (div (- (+ H Sh) Kh) Sh) O)
        (shape)))
    1)
  (list 0 3 2 1))

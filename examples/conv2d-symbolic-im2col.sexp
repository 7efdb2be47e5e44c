; Figure 5 of "Pure Tensor Program Rewriting via Access Patterns" (MAPS 2021) for any sizes: the
; convolution of conv2d-symbolic.sexp as one matrix multiplication, ?shape filled in.
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
        (shape N 1 (div (- (+ H Sh) Kh) Sh) (div (- (+ W Sw) Kw) Sw) O)
        (shape)))
    1)
  (list 0 3 1 2))

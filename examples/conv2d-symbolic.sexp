; Figure 2(a) of "Pure Tensor Program Rewriting via Access Patterns" (MAPS 2021) for any batch,
; channels, image, kernel that fits, and strides. Result: N x O x H' x W'.
(input activations (shape N C H W))
(input weights (shape O C Kh Kw))
(transpose
  (squeeze
    (compute dotProd
      (cartProd
        (windows (access activations 1) (shape C Kh Kw) (shape 1 Sh Sw))
        (access weights 1)))
    1)
  (list 0 3 1 2))

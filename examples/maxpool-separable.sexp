; The pooling of maxpool.sexp in two passes: along rows, then along columns.
(input activations (shape 2 16 32 32))
(transpose
  (compute reduceMax
    (windows
      (access
        (transpose
          (compute reduceMax (windows (access activations 3) (shape 3) (shape 2)))
          (list 0 1 3 2))
        3)
      (shape 3)
      (shape 2)))
  (list 0 1 3 2))

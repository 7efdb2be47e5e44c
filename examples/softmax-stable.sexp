; Softmax as it is computed in practice: the largest element of the row is taken off first.
(input X (shape M N))
(compute softmax
  (access
    (compute elementwise-add
      (access-pair
        (access (access-tensor X) 0)
        (access
          (access-broadcast
            (access-insert-axis
              (compute negative (compute reduce-max (access (access-tensor X) 1)))
              1)
            (access-shape (shape M N) (shape)))
          0)))
    1))

; The same layer in two calls, each on half of the rows.
(input x (shape 32 48) int8)
(input w (shape 32 48) int8)
(access-concatenate
  (accelerator-call vta-dense (access-slice x 0 0 16) w)
  (accelerator-call vta-dense (access-slice x 0 16 32) w)
  0)

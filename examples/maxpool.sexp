; Max pooling: Figure 2(c) of "Pure Tensor Program Rewriting via Access Patterns" (MAPS 2021),
; 3x3 windows that overlap, stride 2. Result: 2x16x15x15.
(input activations (shape 2 16 32 32))
(compute reduceMax
  (windows
    (access activations 2)
    (shape 3 3)
    (shape 2 2)))

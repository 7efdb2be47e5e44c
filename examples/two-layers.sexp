; Two dense layers with a bias and a relu between them: tv map --target vta puts both products on the accelerator.
(input x (shape 4 64))
(input w1 (shape 32 64))
(input b1 (shape 32))
(input w2 (shape 16 32))
(define hidden (relay-operator-call relay-relu
  (relay-operator-call relay-bias-add (relay-operator-call relay-dense x w1) b1 1)))
(relay-operator-call relay-dense hidden w2)

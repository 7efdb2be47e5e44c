; A dense layer of 8-bit numbers as a call of VTA: bit by bit, what the contract of vta-dense says.
(input x (shape 32 48) int8)
(input w (shape 32 48) int8)
(accelerator-call vta-dense x w)

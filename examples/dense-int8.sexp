; A dense layer of 8-bit numbers: sums of 32 bits, shifted right by 8 and cut to what 8 bits hold.
(input a (shape 16 32) int8)
(input w (shape 16 32) int8)
(relay-operator-call relay-cast
  (relay-operator-call relay-clip
    (relay-operator-call relay-right-shift
      (compute dot-product
        (access-cartesian-product
          (access (relay-operator-call relay-cast a int32) 1)
          (access (relay-operator-call relay-cast w int32) 1)))
      8)
    -127 127)
  int8)

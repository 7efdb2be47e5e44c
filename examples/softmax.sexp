; Softmax along the rows of a matrix of any size.
(input X (shape M N))
(compute softmax (access (access-tensor X) 1))

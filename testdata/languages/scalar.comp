function total(A float32[M, N], s float32[])
s() +=! A(i, j)

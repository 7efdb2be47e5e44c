function shift(A float32[N], C float32[N])
C(i) = A(i - 1) where i in 1:N

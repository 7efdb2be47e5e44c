procedure steps(A sat8[N], C sat8[N])
C(i) += A(i) - A(0)
C(i) = C(i) - A(N - 1 - i) where i in 0:2*N - N

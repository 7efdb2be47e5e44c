procedure range(A int8[N*M], B int8[N])
# no index at N*M = 1
B(i) += A(p) * A(N*M - 1 - p) where p in 1:N*M - 1

procedure swap(A float64[N, N], B float64[N, N])
A(i, j) = B(j, i) - A(i, j)
B(i, j) += A(i, j) * 2.5 - -1 where i in 1:N
A(i, j) +=! A(i, k) * B(k, j) + 0.125

function empty(A int32[N], B int32[M], C int32[N])
C(i) +=! A(i) * B(j) where j in 3:M - 1

procedure conv(X int8[2*N + 1], W int8[3], Y int8[N])
# a stride of two
Y(i) +=! X(2*i + k) * W(k)

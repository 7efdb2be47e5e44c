// Prefix sums that wrap, and the last of them.
unsigned prefix(unsigned n, const unsigned char a[n], unsigned sums[static n]) {
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++) {
    s += a[i];
    sums[i] = s;
  }
  return s;
}

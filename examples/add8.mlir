// The sum of two words of eight bits, in CIRCT's comb dialect.
hw.module @add8(in %a: i8, in %b: i8, out y: i8) {
  %0 = comb.add bin %a, %b : i8
  hw.output %0 : i8
}

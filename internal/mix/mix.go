// Package mix hashes words one after the other: what finds the bucket of a term, and colours variables by the places
// in which they stand. Equal input gives equal output in every run and on every machine, so that what is ordered by a
// hash is ordered alike.
package mix

// Word adds x to a hash: it spreads both, then takes the high bits down (the multiplier of MurmurHash3's finalizer).
func Word(h, x uint64) uint64 {
	h ^= x + 0x9e3779b97f4a7c15 + h<<6 + h>>2
	h *= 0xff51afd7ed558ccd
	return h ^ h>>32
}

// String adds the bytes of s to a hash.
func String(h uint64, s string) uint64 {
	for i := range len(s) {
		h = Word(h, uint64(s[i]))
	}
	return h
}

// Spread is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): seeds that differ little give numbers that differ much.
func Spread(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

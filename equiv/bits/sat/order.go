package sat

// An order is a heap of variables, those that took part in conflicts lately first; ties go to the smaller one.
type order struct {
	heap     []int32
	index    []int32 // in the heap, or -1
	activity []float64
	step     float64
}

func (o *order) grow() {
	if o.step == 0 {
		o.step = 1
	}
	o.index = append(o.index, -1)
	o.activity = append(o.activity, 0)
}

func (o *order) before(a, b int32) bool {
	return o.activity[a] > o.activity[b] || o.activity[a] == o.activity[b] && a > b
}

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 {
		p := (i - 1) / 2
		if !o.before(v, o.heap[p]) {
			break
		}
		o.heap[i] = o.heap[p]
		o.index[o.heap[i]] = int32(i)
		i = p
	}
	o.heap[i], o.index[v] = v, int32(i)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for {
		c := 2*i + 1
		if c >= len(o.heap) {
			break
		}
		if c+1 < len(o.heap) && o.before(o.heap[c+1], o.heap[c]) {
			c++
		}
		if !o.before(o.heap[c], v) {
			break
		}
		o.heap[i] = o.heap[c]
		o.index[o.heap[i]] = int32(i)
		i = c
	}
	o.heap[i], o.index[v] = v, int32(i)
}

func (o *order) push(v int) {
	if o.index[v] >= 0 {
		return
	}
	o.heap = append(o.heap, int32(v))
	o.up(len(o.heap) - 1)
}

func (o *order) pop() (int, bool) {
	if len(o.heap) == 0 {
		return 0, false
	}
	v, last := o.heap[0], len(o.heap)-1
	o.index[v] = -1
	moved := o.heap[last]
	o.heap = o.heap[:last]
	if last > 0 {
		o.heap[0] = moved
		o.down(0)
	}
	return int(v), true
}

func (o *order) clear() {
	for _, v := range o.heap {
		o.index[v] = -1
	}
	o.heap = o.heap[:0]
}

func (o *order) bump(v int) { o.prefer(v, 1) }

func (o *order) prefer(v int, weight float64) {
	if o.activity[v] += o.step * weight; o.activity[v] > 1e100 {
		for i := range o.activity {
			o.activity[i] *= 1e-100
		}
		o.step *= 1e-100
	}
	if i := o.index[v]; i >= 0 {
		o.up(int(i))
	}
}

func (o *order) decay() { o.step /= 0.95 }

package baseball

// A filling is the tokens base by base, as in Configuration.
type filling [MaxBases][2]uint8

// rank returns the rank of a filling with that base free.
func (o *order) rank(f *filling, hole int) uint64 {
	rank, r := uint64(0), all(o.bases)
	for i := range o.bases {
		var at uint64
		at, r = o.part(r, &f[i], i == hole)
		rank += at
	}
	return rank
}

// part returns the part of the rank for a base, and the tokens after it.
func (o *order) part(r rest, tokens *[2]uint8, free bool) (uint64, rest) {
	if free {
		return o.single(r, tokens[0])
	}
	return o.both(r, tokens[0], tokens[1])
}

// parts returns the parts of the rank of c for a base and the next one. A move between the two changes no other part.
func (o *order) parts(c *Configuration, base int) uint64 {
	r := all(o.bases)
	for i := range base {
		r = r.without(c.tokens[i][0])
		if i != int(c.hole) {
			r = r.without(c.tokens[i][1])
		}
	}
	first, r := o.part(r, &c.tokens[base], base == int(c.hole))
	second, _ := o.part(r, &c.tokens[base+1], base+1 == int(c.hole))
	return first + second
}

// unrank is the inverse of rank.
func (o *order) unrank(rank uint64, hole int) (f filling) {
	r := all(o.bases)
	for i := range o.bases {
		d, s := r.two.count(), r.one.count()
		ud, us := uint64(d), uint64(s)
		if i == hole {
			set, z := r.two, o.at(d-1, s+1)
			if rank >= ud*z {
				rank -= ud * z
				set, z = r.one, o.at(d, s-1)
			}
			x := set.member(rank / z)
			rank %= z
			f[i] = [2]uint8{x, free}
			r = r.without(x)
			continue
		}
		f[i], rank = o.unpair(r, ud, us, rank)
		r = r.without(f[i][0]).without(f[i][1])
	}
	return f
}

// unpair is the inverse of both; it returns the rest of the rank as well.
func (o *order) unpair(r rest, ud, us, rank uint64) ([2]uint8, uint64) {
	d, s := int(ud), int(us)
	if z := o.at(d-1, s); rank < ud*(1+us)*z {
		i := rank / z
		rank %= z
		if i < ud {
			c := r.two.member(i)
			return [2]uint8{c, c}, rank
		}
		i -= ud
		return pair(r.two.member(i/us), r.one.member(i%us)), rank
	}
	rank -= ud * (1 + us) * o.at(d-1, s)
	set, z := r.two, o.at(d-2, s+2)
	if n := ud * (ud - 1) / 2 * z; rank >= n {
		rank -= n
		set, z = r.one, o.at(d, s-2)
	}
	i := rank / z
	j := uint64(1)
	for j*(j+1)/2 <= i {
		j++
	}
	return pair(set.member(i-j*(j-1)/2), set.member(j)), rank % z
}

// configuration returns the filling with that base free as a Configuration.
func (o *order) configuration(f *filling, hole int) Configuration {
	c := Configuration{bases: uint8(o.bases), hole: uint8(hole)}
	copy(c.tokens[:], f[:o.bases])
	return c
}

// filling returns the tokens of c, of as many bases as o numbers.
func (o *order) filling(c *Configuration) (f filling) {
	copy(f[:], c.tokens[:o.bases])
	return f
}

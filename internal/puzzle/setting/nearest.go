package setting

// Nearest returns the name that s was probably meant to be: the one with the fewest edits, when those are few against
// its length.
func Nearest(s string, names []string) (string, bool) {
	best, edits := "", len(s)+1
	for _, n := range names {
		if d := distance(s, n); d < edits {
			best, edits = n, d
		}
	}
	return best, best != "" && edits <= 1+len(best)/3
}

// distance is the number of insertions, deletions and substitutions of bytes that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

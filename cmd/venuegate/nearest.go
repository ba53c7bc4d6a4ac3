package main

import "strings"

// nearest returns the known name that a misspelled one is likely to mean, or "".
func nearest(name string, known []string) string {
	best, limit := "", len(name)/3+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < len(k) && d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// didYouMean returns a clause with the nearest known name, or "".
func didYouMean(name string, known []string) string {
	if n := nearest(name, known); n != "" {
		return "; did you mean `" + n + "`?"
	}
	return ""
}

// editDistance returns how many bytes must be inserted, deleted or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

package main

import "strings"

// nearest returns the known name that a misspelled one is likely to mean, or "".
func nearest(name string, known []string) string {
	best, limit := "", len(name)/3
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

// editDistance returns how many bytes must be inserted, deleted, replaced or swapped with
// their neighbour to turn a into b.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

package contract

import (
	"slices"
	"strings"
)

// nearest is the candidate that a writer of word may have meant, "" where none
// is near. Letter case and the separators _ and - do not count. Where no
// spelling is near, a candidate that contains the word is.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, candidate := range candidates {
		if d := distance(fold(word), fold(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	if best != "" || len(word) < minContained {
		return best
	}
	for _, candidate := range candidates {
		if strings.Contains(string(fold(candidate)), string(fold(word))) {
			return candidate
		}
	}
	return ""
}

// minContained keeps short words from being found in every longer one.
const minContained = 4

func fold(s string) []rune {
	return []rune(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)))
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to get from a to b.
func distance(a, b []rune) int {
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
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// didYouMean is a hint that names a word, or another hint without one.
func didYouMean(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return "did you mean " + word + "?"
}

// oneOf lists words: a, b or c.
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// listOf lists what there is, shortened, in a hint.
func listOf(words []string) string {
	const most = 8
	words = slices.Clone(words)
	if len(words) > most {
		words = append(words[:most], "…")
	}
	return strings.Join(words, ", ")
}

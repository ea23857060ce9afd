package contract

// Nearest is the candidate that a writer of word may have meant, "" where none
// is near.
func Nearest(word string, candidates []string) string { return nearest(word, candidates) }

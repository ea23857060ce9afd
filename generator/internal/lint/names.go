package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// fold takes the letter case and the separators out of a name.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.':
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// lastName is the folded name of a field, of a body field the last one of its
// path, "" of a whole body.
func lastName(f *contract.Field) string {
	if len(f.Tokens) == 0 {
		return ""
	}
	return fold(f.Tokens[len(f.Tokens)-1])
}

// secretNames are folded names of members whose values let their holder in.
func secretNames() []string {
	return []string{
		"token", "accesstoken", "refreshtoken", "idtoken", "authtoken", "bearertoken", "sessiontoken", "sessionsecret",
		"password", "passwd", "passphrase", "clientsecret", "secret", "secretkey", "sharedsecret", "signingsecret", "signingkey",
		"webhooksecret", "apikey", "apisecret", "apitoken", "privatekey", "recoverycode", "recoverycodes", "backupcodes",
		"otpsecret", "totpsecret", "cvc", "cvv",
	}
}

func appendNew(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// listOf writes the first words of a list and how many there are besides.
func listOf(words []string) string {
	const most = 3
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

package nethttp

import (
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

func TestHeaderKey(t *testing.T) {
	malformed := HeaderKey(`"`)
	if malformed == idem.KeyOf(`"`) || malformed == idem.NoKey() {
		t.Fatal("a lone quotation mark is a key")
	}
	const id = "8e03978e-40d5-43dd-bc93-6894a57f9324"
	for value, want := range map[string]idem.Key{
		id:                   idem.KeyOf(id),
		`"` + id + `"`:       idem.KeyOf(id),
		" \t" + id + " ":     idem.KeyOf(id),
		`"` + id + `";v=1`:   idem.KeyOf(id),
		`"` + id + `"; a;b`:  idem.KeyOf(id),
		`"a\"b\\c"`:          idem.KeyOf(`a"b\c`),
		`a"b`:                idem.KeyOf(`a"b`),
		`42`:                 idem.KeyOf("42"),
		`?1`:                 idem.KeyOf("?1"),
		`:YQ==:`:             idem.KeyOf(":YQ==:"),
		`token;a=b`:          idem.KeyOf("token;a=b"),
		"":                   idem.KeyOf(""),
		"  ":                 idem.KeyOf(""),
		`""`:                 idem.KeyOf(""),
		`"a`:                 malformed,
		`"a"b`:               malformed,
		`"a" "b"`:            malformed,
		`"a", "b"`:           malformed,
		`"a\n"`:              malformed,
		"\"a\u00e9\"":        malformed,
		"\"a\x00\"":          malformed,
		`"a";=`:              malformed,
		`'` + id + `'`:       idem.KeyOf(`'` + id + `'`),
		"\u201c" + id + "\"": idem.KeyOf("\u201c" + id + "\""),
	} {
		if got := HeaderKey(value); got != want {
			t.Errorf("HeaderKey(%q) = %v, want %v", value, got, want)
		}
	}
}

func TestOptionalHeaderKey(t *testing.T) {
	if OptionalHeaderKey(nil) != idem.NoKey() {
		t.Error("nil is a key")
	}
	if OptionalHeaderKey(new("")) != idem.KeyOf("") {
		t.Error("an empty value is no malformed key")
	}
	if OptionalHeaderKey(new(`"k"`)) != idem.KeyOf("k") {
		t.Error("a value is not its key")
	}
}

func FuzzHeaderKey(f *testing.F) {
	for _, seed := range []string{"", `"`, `"a";b`, `"a\"b"`, "\x00", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key := HeaderKey(value)
		if key == idem.NoKey() {
			t.Errorf("%q is no key", value)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
		plain := strings.IndexFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
		if plain && !strings.HasPrefix(value, `"`) && HeaderKey(quoted) != key {
			t.Errorf("%q and %q are two keys", value, quoted)
		}
	})
}

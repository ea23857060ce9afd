package contract

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "7d": 7 * day, "0d": 0,
		"PT24H": day, "P7D": 7 * day, "P1W": 7 * day, "P1DT12H": 36 * time.Hour, "PT1.5S": 1500 * time.Millisecond, "PT0,5S": 500 * time.Millisecond,
		"PT90S": 90 * time.Second, "PT1H30M": 90 * time.Minute,
	} {
		if got, hint := parseDuration(text); hint != "" || got != want {
			t.Errorf("%s is %v (%s), want %v", text, got, hint, want)
		}
	}
	for _, text := range []string{
		"", "30", "3 days", "1.5d", "-1d", "d", "P", "PT", "P1DT", "P1Y", "P1M", "PT1D", "P1H", "PT1.5H", "99999999999d", "P99999999999W", "99999999999h",
	} {
		if d, hint := parseDuration(text); hint == "" {
			t.Errorf("%q is taken for %v", text, d)
		}
	}
}

// What a message shows can be written back.
func TestShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(30*day/time.Millisecond)).Draw(t, "ms")) * time.Millisecond
		if got, hint := parseDuration(show(d)); hint != "" || got != d {
			t.Fatalf("%v is shown as %s, which is %v %s", d, show(d), got, hint)
		}
	})
	for d, want := range map[time.Duration]string{day: "24h", 30 * day: "30d", time.Hour: "1h", 90 * time.Minute: "1h30m", 30 * time.Second: "30s", 10 * time.Minute: "10m"} {
		if got := show(d); got != want {
			t.Errorf("%v is shown as %s, want %s", d, got, want)
		}
	}
}

package contract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

const (
	day = 24 * time.Hour

	defaultTTL    = 24 * time.Hour
	defaultLease  = 30 * time.Second
	defaultMaxRun = 15 * time.Minute
	// waitMargin lets a waiter live to see a dead worker's lease end.
	waitMargin = 5 * time.Second

	minTTL, maxTTL     = time.Minute, 30 * day
	minLease, maxLease = time.Second, 15 * time.Minute
)

// duration reads a duration within bounds; highest is 0 for none.
func (r *reader) duration(field string, lowest, highest time.Duration) func(spec.Value) (time.Duration, bool) {
	return func(v spec.Value) (time.Duration, bool) {
		if v.Kind != spec.String {
			hint := "write a number with its unit, such as 30s, 24h or 7d"
			if v.Kind == spec.Number {
				hint = durationHint(v.Text)
			}
			r.report(RuleBadDuration, v.Range, fmt.Sprintf("%s must be a duration, not %s", field, describe(v)), hint)
			return 0, false
		}
		d, hint := parseDuration(v.Text)
		switch {
		case hint != "":
			r.report(RuleBadDuration, v.Range, fmt.Sprintf("%s: %q is no duration", field, v.Text), hint)
		case d < lowest:
			r.report(RuleOutOfRange, v.Range, fmt.Sprintf("%s is %s, below %s", field, v.Text, show(lowest)), "write at least "+show(lowest))
		case highest > 0 && d > highest:
			r.report(RuleOutOfRange, v.Range, fmt.Sprintf("%s is %s, above %s", field, v.Text, show(highest)), "write at most "+show(highest))
		default:
			return d, true
		}
		return 0, false
	}
}

// parseDuration reads Go's form, days, and ISO 8601. A text that is none gives
// a hint.
func parseDuration(text string) (d time.Duration, hint string) {
	if strings.HasPrefix(text, "P") {
		return parseISO(text)
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseInt(days, 10, 64); err == nil && n >= 0 && n <= int64(maxTTL/day)*100 {
			return time.Duration(n) * day, ""
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d, ""
	}
	return 0, durationHint(text)
}

// durationHint guesses what was meant: "3 days" is 3d.
func durationHint(text string) string {
	m := regexp.MustCompile(`^\s*(\d+)\s*([A-Za-z]*)\s*$`).FindStringSubmatch(text)
	if m == nil {
		return "write a number with its unit, such as 30s, 24h, 7d or PT24H"
	}
	units := map[byte]string{'s': "s", 'm': "m", 'h': "h", 'd': "d"}
	word := strings.ToLower(m[2])
	switch {
	case word == "":
		return fmt.Sprintf("say the unit: %ss or %sh", m[1], m[1])
	case strings.HasPrefix(word, "mo") || strings.HasPrefix(word, "y"):
		return "months and years have no fixed length: write days, such as 30d"
	case strings.HasPrefix(word, "ms") || strings.HasPrefix(word, "mil"):
		return "write " + m[1] + "ms"
	case word[0] == 'w':
		n, _ := strconv.Atoi(m[1])
		return fmt.Sprintf("write %dd", 7*n)
	case units[word[0]] != "":
		return "write " + m[1] + units[word[0]]
	}
	return "write a number with its unit, such as 30s, 24h, 7d or PT24H"
}

// isoDuration is the form of ISO 8601 without the units of no fixed length.
const isoDuration = `^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$`

func parseISO(text string) (time.Duration, string) {
	const example = "write it like PT24H, PT90S or P7D"
	m := regexp.MustCompile(isoDuration).FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, "T") || text == "P" {
		if date, _, _ := strings.Cut(text, "T"); strings.ContainsAny(date, "YM") {
			return 0, "months and years have no fixed length: write days, such as P30D"
		}
		return 0, example
	}
	var total time.Duration
	for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(strings.Replace(m[i+1], ",", ".", 1), 64)
		if err != nil || n > float64(100*maxTTL/unit) {
			return 0, "write a shorter duration, such as P7D"
		}
		total += time.Duration(n * float64(unit))
	}
	return total, ""
}

// show writes a duration as a document would: 24h, 30d, 90s.
func show(d time.Duration) string {
	if d > day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}

// durations fills in the durations and compares them with one another.
func (b *builder) durations(s settings) {
	c := &b.contract
	c.TTL = s.ttl.or(defaultTTL)
	c.Lease = s.lease.or(defaultLease)
	c.MaxRun = s.maxRun.or(max(defaultMaxRun, c.Lease))
	c.WaitTimeout = s.waitTimeout.or(c.Lease + waitMargin)
	b.atLeastLease("ttl", s.ttl, c.TTL, s.lease)
	b.atLeastLease("maxRun", s.maxRun, c.MaxRun, s.lease)
}

// atLeastLease reports a lease above another duration, at the lease where it is
// written, else at the other one.
func (b *builder) atLeastLease(field string, g given[time.Duration], value time.Duration, lease given[time.Duration]) {
	if b.contract.Lease <= value || g.present && !g.ok || lease.present && !lease.ok {
		return
	}
	at, hint := lease.at, fmt.Sprintf("write a lease of at most %s, or a longer %s", show(value), field)
	if !lease.present {
		at, hint = g.at, fmt.Sprintf("write at least %s, or a shorter lease", show(b.contract.Lease))
	}
	b.report(RuleOutOfRange, at, fmt.Sprintf("the lease, %s, is above %s, %s", show(b.contract.Lease), field, show(value)), hint)
}

package contract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ShowDuration writes a duration as a document would: 24h, 30d, 90s.
func ShowDuration(d time.Duration) string { return show(d) }

// ShowStatuses writes ranges of statuses as a document would: 201, 4XX. What
// has no such form is written as 500 to 503.
func ShowStatuses(ranges []StatusRange) string {
	var list []string
	for _, r := range ranges {
		for from := r.From; from <= r.To; {
			to := min(r.To, from/100*100+99)
			switch {
			case from == to:
				list = append(list, strconv.Itoa(from))
			case from%100 == 0 && to == from+99:
				list = append(list, fmt.Sprintf("%dXX", from/100))
			default:
				list = append(list, fmt.Sprintf("%d to %d", from, to))
			}
			from = to + 1
		}
	}
	return strings.Join(list, ", ")
}

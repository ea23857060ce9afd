package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemember(t *testing.T) {
	for list, want := range map[string][]StatusRange{
		"[201]":               {{201, 201}},
		"[402, 201]":          {{201, 201}, {402, 402}},
		"[201, 2XX]":          {{200, 299}},
		"[3XX, 2XX]":          {{200, 399}},
		`["201"]`:             {{201, 201}},
		"[default]":           {{100, 200}, {202, 399}, {500, 599}},
		"[201, default, 404]": {{100, 399}, {404, 404}, {500, 599}},
	} {
		contracts := readGood(t, `
paths:
  /payments:
    post:
      x-idempotency: {remember: `+list+`}
      parameters:`+keyParameter+`
      responses: {"201": {description: a}, 4XX: {description: b}, default: {description: c}}
`)
		if d := cmp.Diff(want, contracts[0].Remember); d != "" {
			t.Errorf("%s: %s", list, d)
		}
	}
}

package contract

import "testing"

func TestNearest(t *testing.T) {
	candidates := []string{"amount", "currency", "order_id", "customerId", "waitTimeout"}
	for word, want := range map[string]string{
		"amuont": "amount", "amoun": "amount", "Amount": "amount", "orderId": "order_id", "order-id": "order_id",
		"customer_id": "customerId", "curency": "currency", "timeout": "waitTimeout", "id": "", "zzz": "", "": "",
	} {
		if got := nearest(word, candidates); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"ab", "abc", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}, {"ä", "a", 1},
	} {
		if got := distance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("%q to %q is %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

package suite

// Links are header lines that an answer repeats, in this order.
func Links() []string { return []string{"</b>; rel=next", "</a>; rel=prev", "</c>; rel=up"} }

// Lines that a middleware of every server adds.
const (
	MiddlewareHeader = "X-Served-By"
	MiddlewareValue  = "node 1"
	MiddlewareVary   = "Origin"
)

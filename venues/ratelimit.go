package venues

// RateLimit is how much of a venue's rate limit this process uses.
type RateLimit struct {
	// Name is that of the limit, such as request_weight_1m. Where each account has a
	// limit of its own, Used is that of the account that uses most of it.
	Name  string
	Used  int
	Limit int
}

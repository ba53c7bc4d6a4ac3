package signing

// PrefixDefault begins the names of the headers unless configured otherwise.
const PrefixDefault = "X-Service"

// Headers are the names of the headers that carry a signature, and those that an
// outbound event bears besides.
type Headers struct {
	Signature string
	Timestamp string
	EventID   string
	Attempt   string
}

// NewHeaders makes the names under a prefix; an empty one is PrefixDefault.
func NewHeaders(prefix string) Headers {
	if prefix == "" {
		prefix = PrefixDefault
	}
	return Headers{
		Signature: prefix + "-Signature",
		Timestamp: prefix + "-Timestamp",
		EventID:   prefix + "-Event-Id",
		Attempt:   prefix + "-Attempt",
	}
}

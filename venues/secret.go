package venues

import "fmt"

// Secret is text that must never be printed: every formatter prints "[redacted]". Only
// Reveal returns the value.
type Secret string

const redacted = "[redacted]"

// Reveal returns the value, for signing and for encryption at rest.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (s Secret) String() string { return redacted }

// GoString hides the value in %#v.
func (s Secret) GoString() string { return redacted }

// Format hides the value for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// MarshalText hides the value in JSON, YAML and logs. Stores keep the encrypted bytes
// instead.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

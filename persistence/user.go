package persistence

import "venuegate/venues"

// Role is what a user of the console may do. Each role but RoleOperator may do what the
// ones before it may.
type Role string

// Roles of users.
const (
	RoleViewer Role = "viewer"
	RoleTrader Role = "trader"
	RoleOwner  Role = "owner"
	// RoleOperator belongs to no customer: it administers the installation.
	RoleOperator Role = "operator"
)

// User is a person who signs in to the console.
type User struct {
	// Login is unique in the installation.
	Login string `json:"login"`
	// Customer is empty for operators.
	Customer  string      `json:"customer,omitempty"`
	Role      Role        `json:"role"`
	CreatedAt venues.Time `json:"createdAt"`
	// Disabled users cannot sign in.
	Disabled bool `json:"disabled,omitempty"`
	// Password is the argon2id hash of the password, empty until there is one.
	Password string `json:"password,omitempty"`
	// Invite is the SHA-256 of an invitation's token, with which a password is set.
	Invite      []byte      `json:"invite,omitempty"`
	InviteUntil venues.Time `json:"inviteUntil"`
	// Sealed holds the secret of the second step (TOTP). Pending holds one that is not
	// confirmed yet.
	Sealed  []byte `json:"sealed,omitempty"`
	Pending []byte `json:"pending,omitempty"`
	// UsedStep is the newest time step whose code was used.
	UsedStep int `json:"usedStep,omitempty"`
	// Recovery holds the SHA-256, in base64, of each recovery code that was not used.
	Recovery []string `json:"recovery,omitempty"`
	// Sources are the addresses that the user has signed in from, the newest last.
	Sources     []string        `json:"sources,omitempty"`
	Preferences UserPreferences `json:"preferences"`
}

// UserPreferences are how the console shows itself to a user.
type UserPreferences struct {
	// Zone is the time zone: empty is that of the browser.
	Zone string `json:"zone,omitempty"`
	// Density is empty for the usual one.
	Density     string `json:"density,omitempty"`
	NoShortcuts bool   `json:"noShortcuts,omitempty"`
}

// Session is one sign-in of a user.
type Session struct {
	ID   string `json:"id"`
	User string `json:"user"`
	// Listener is the one that the user has signed in at.
	Listener string `json:"listener"`
	// Hash is the SHA-256 of the secret in the cookie, which has 256 random bits.
	Hash      []byte      `json:"hash"`
	Source    string      `json:"source"`
	Browser   string      `json:"browser,omitempty"`
	CreatedAt venues.Time `json:"createdAt"`
	// SeenAt is at most one minute before the last request.
	SeenAt venues.Time `json:"seenAt"`
	// SteppedUpAt is when the password and the second step were last checked.
	SteppedUpAt venues.Time `json:"steppedUpAt"`
	// EndsAt is when the session ends without a further request, or has ended. From then on
	// it may be purged.
	EndsAt venues.Time `json:"endsAt"`
}

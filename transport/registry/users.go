package registry

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// usersMax bounds the users of a customer, and the operators, who are not disabled.
	usersMax = 100
	// invitePrefix begins the token of an invitation.
	invitePrefix = "vgi_"
	// InviteLife is how long an invitation is valid, and the longest that may be asked for.
	InviteLife = 24 * time.Hour
)

// loginPattern matches logins, e-mail addresses included.
var loginPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._@+-]{0,62}[a-z0-9]$`)

// UserStore reads users and their sessions.
type UserStore interface {
	Users(ctx context.Context) ([]persistence.User, error)
	User(ctx context.Context, login string) (persistence.User, error)
	Sessions(ctx context.Context) ([]persistence.Session, error)
	Session(ctx context.Context, id string) (persistence.Session, error)
}

// Users manages the users of the console. The users of a customer see and change the records
// of their customer; operators belong to none.
type Users struct {
	scope
	audit      audit
	store      UserStore
	signIns    *SignIns
	consoleURL func(persistence.Role) string
}

// User is a user without secrets.
type User struct {
	// ID is the login.
	ID        string           `json:"id"`
	Customer  string           `json:"customer"`
	Role      persistence.Role `json:"role"`
	Disabled  bool             `json:"disabled"`
	CreatedAt venues.Time      `json:"createdAt"`
	// SecondStep reports whether signing in needs a code.
	SecondStep bool `json:"secondStep"`
	// InvitedUntil is the end of an invitation that was not used yet.
	InvitedUntil venues.Time `json:"invitedUntil"`
	// Link is the address of an invitation, only in the result of Create and Invite.
	Link string `json:"link,omitzero"`
}

// NewUser is the request for a user. Operators have no customer.
type NewUser struct {
	Customer string           `json:"customer"`
	Login    string           `json:"login"`
	Role     persistence.Role `json:"role"`
}

// UserChange changes the members that are set.
type UserChange struct {
	Role     persistence.Role `json:"role"`
	Disabled *bool            `json:"disabled"`
}

// NewInvite is the request for another invitation. ValidSec zero is InviteLife.
type NewInvite struct {
	ValidSec int `json:"validSec"`
}

// Create makes a user with an invitation, by whose link a password is set.
func (u *Users) Create(ctx context.Context, n NewUser) (User, error) {
	if !loginPattern.MatchString(n.Login) {
		return User{}, api.FieldError("login", api.RuleMalformed, "", "2 to 64 small letters, digits and . _ @ + -, such as ann@example.com")
	}
	if err := u.resolveCustomer(&n); err != nil {
		return User{}, err
	}
	u.audit.Lock()
	defer u.audit.Unlock()
	if err := u.checkRoom(ctx, n.Customer); err != nil {
		return User{}, err
	}
	switch _, err := u.store.User(ctx, n.Login); {
	case err == nil:
		return User{}, api.FieldError("login", api.RuleOutOfRange, n.Login, "a login that no user has")
	case !errors.Is(err, persistence.ErrNotFound):
		return User{}, fmt.Errorf("read user: %w", err)
	}
	record := persistence.User{Login: n.Login, Customer: n.Customer, Role: n.Role, CreatedAt: venues.At(time.Now())}
	return u.invite(ctx, "create", record, InviteLife)
}

// resolveCustomer checks the role of a new user and the customer that belongs to it.
func (u *Users) resolveCustomer(n *NewUser) error {
	if err := u.checkRole(n.Role); err != nil {
		return err
	}
	if n.Role == persistence.RoleOperator {
		if n.Customer != "" {
			return api.FieldError("customer", api.RuleOutOfRange, "", "none for an operator")
		}
		return nil
	}
	var err error
	n.Customer, err = u.resolve(n.Customer)
	return err
}

// checkRole returns the error of a role that is not known or not granted in the view.
func (u *Users) checkRole(role persistence.Role) error {
	allowed := []persistence.Role{persistence.RoleViewer, persistence.RoleTrader, persistence.RoleOwner}
	if u.all {
		allowed = append(allowed, persistence.RoleOperator)
	}
	if !slices.Contains(allowed, role) {
		return api.FieldError("role", api.RuleUnknownValue, string(role), join(allowed))
	}
	return nil
}

// checkRoom returns an error unless the customer exists, if there is one, and may have
// another user.
func (u *Users) checkRoom(ctx context.Context, customer string) error {
	if customer != "" {
		if err := u.check(ctx, customer); err != nil {
			return err
		}
	}
	users, err := u.store.Users(ctx)
	if err != nil {
		return fmt.Errorf("list users: %w", err)
	}
	n := 0
	for i := range users {
		if users[i].Customer == customer && !users[i].Disabled {
			n++
		}
	}
	if n >= usersMax {
		return venues.Errorf(venues.CodeInvalidRequest, "there are %d users; disable one first", usersMax).With("limit", usersMax)
	}
	return nil
}

// List returns the users of a customer, or all in the scope if customer is empty.
func (u *Users) List(ctx context.Context, customer string) ([]User, error) {
	if customer != "" || !u.all {
		var err error
		if customer, err = u.resolve(customer); err != nil {
			return nil, err
		}
	}
	records, err := u.store.Users(ctx)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	users := []User{}
	for _, record := range records {
		if customer == "" || record.Customer == customer {
			users = append(users, userOf(record))
		}
	}
	return users, nil
}

// Get returns a user by the login.
func (u *Users) Get(ctx context.Context, login string) (User, error) {
	record, err := u.read(ctx, login)
	return userOf(record), err
}

// Change changes the role of a user, or disables or enables one, and ends the user's
// sessions. A user cannot change itself.
func (u *Users) Change(ctx context.Context, login string, change UserChange) (User, error) {
	if _, err := u.read(ctx, login); err != nil {
		return User{}, err
	}
	record, err := u.signIns.Edit(ctx, login, Edit{Action: "change", EndOthers: true, Change: func(record *persistence.User) error {
		if login == u.audit.author.By {
			return venues.Errorf(venues.CodeInvalidRequest, "a user cannot change its own role, nor disable itself")
		}
		set(&record.Disabled, change.Disabled)
		if change.Role == "" {
			return nil
		}
		if err := u.checkRole(change.Role); err != nil {
			return err
		}
		if (change.Role == persistence.RoleOperator) != (record.Customer == "") {
			return api.FieldError("role", api.RuleOutOfRange, string(change.Role), "operator only, and always, for users without a customer")
		}
		record.Role = change.Role
		return nil
	}})
	return userOf(record), err
}

// Disable signs a user out permanently.
func (u *Users) Disable(ctx context.Context, login string) (User, error) {
	disabled := true
	return u.Change(ctx, login, UserChange{Disabled: &disabled})
}

// Invite makes another invitation for a user. With its link a new password is set, which also
// removes the second step.
func (u *Users) Invite(ctx context.Context, login string, n NewInvite) (User, error) {
	life := time.Duration(n.ValidSec) * time.Second
	if n.ValidSec == 0 {
		life = InviteLife
	}
	if n.ValidSec < 0 || life > InviteLife {
		return User{}, api.FieldError("validSec", api.RuleOutOfRange, strconv.Itoa(n.ValidSec), "1 to "+strconv.Itoa(int(InviteLife.Seconds())))
	}
	u.audit.Lock()
	defer u.audit.Unlock()
	record, err := u.read(ctx, login)
	if err != nil {
		return User{}, err
	}
	return u.invite(ctx, "invite", record, life)
}

// invite stores a user with a new invitation. The caller holds the mutex.
func (u *Users) invite(ctx context.Context, action string, record persistence.User, life time.Duration) (User, error) {
	token := invitePrefix + newSecret()
	record.Invite, record.InviteUntil = hashOf(token), venues.At(time.Now().Add(life))
	if err := u.audit.commitOf(ctx, record.Customer, kindUser, record.Login, userFields(action, record), record); err != nil {
		return User{}, err
	}
	invited := userOf(record)
	invited.Link = u.consoleURL(record.Role) + "/console/enter#" + token
	return invited, nil
}

func (u *Users) read(ctx context.Context, login string) (persistence.User, error) {
	record, err := u.store.User(ctx, login)
	if err == nil && !u.all && !u.has(record.Customer) {
		err = persistence.ErrNotFound
	}
	if err != nil {
		return persistence.User{}, fmt.Errorf("read user: %w", notFound(err))
	}
	return record, nil
}

func userOf(record persistence.User) User {
	user := User{
		ID: record.Login, Customer: record.Customer, Role: record.Role, Disabled: record.Disabled, CreatedAt: record.CreatedAt,
		SecondStep: len(record.Sealed) > 0,
	}
	if len(record.Invite) > 0 {
		user.InvitedUntil = record.InviteUntil
	}
	return user
}

func userFields(action string, record persistence.User) []persistence.JournalField {
	return []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("role", string(record.Role)),
		field("disabled", strconv.FormatBool(record.Disabled)),
	}
}

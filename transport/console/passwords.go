package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"venuegate/transport/api"
	"venuegate/venues"
)

// Cost is how much work a hash of argon2id is; it is part of each hash.
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
}

// DefaultCost is the cost of the service's hashes.
var DefaultCost = Cost{MemoryKiB: 32 << 10, Passes: 3}

const (
	argonThreads   = 1
	argonSaltBytes = 16
	argonHashBytes = 32
)

const (
	passwordCharsMin = 12
	passwordCharsMax = 256
	// hashesMax bounds the passwords that are hashed at once, Cost.MemoryKiB each.
	hashesMax = 2
	// hashWait bounds how long a password waits to be hashed.
	hashWait = 2 * time.Second
)

// commonPasswords are those of at least passwordCharsMin characters among the 47,023
// commonest, in small letters.
//
//go:embed common_passwords.txt
var commonPasswords string

// Passwords hashes passwords. It is shared by the consoles of all listeners.
type Passwords struct {
	cost Cost
	// prefix is what a hash of this cost begins with.
	prefix string
	slots  chan struct{}
	// hashed counts the hashes that were computed.
	hashed atomic.Int64
}

// NewPasswords returns Passwords whose hashes have a cost. It verifies no hash of another cost.
func NewPasswords(cost Cost) *Passwords {
	return &Passwords{
		cost:   cost,
		prefix: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, cost.MemoryKiB, cost.Passes, argonThreads),
		slots:  make(chan struct{}, hashesMax),
	}
}

// checkPassword returns the error of a password that is too short, too long or common.
func checkPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password) || n < passwordCharsMin || n > passwordCharsMax:
		return api.FieldError("password", api.RuleOutOfRange, "", strconv.Itoa(passwordCharsMin)+" to "+strconv.Itoa(passwordCharsMax)+" characters")
	case slices.Contains(strings.Fields(commonPasswords), strings.ToLower(password)):
		return api.FieldError("password", api.RuleOutOfRange, "", "a password that is not among the commonest")
	}
	return nil
}

// Hash returns the hash of a password with a new salt, in the form that argon2 prints.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	var salt [argonSaltBytes]byte
	_, _ = rand.Read(salt[:]) // it never fails
	key, err := p.key(ctx, password, salt[:])
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("%s%s$%s", p.prefix, encode(salt[:]), encode(key)), nil
}

// Verify reports whether a password has the hash. Without a hash it does the same work and
// returns false.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	salt, want := p.parse(hash)
	known := want != nil
	if !known {
		salt, want = make([]byte, argonSaltBytes), make([]byte, argonHashBytes)
	}
	key, err := p.key(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1 && known, err
}

// parse returns the parts of a hash; nil if it is none.
func (p *Passwords) parse(hash string) (salt, key []byte) {
	rest, _ := strings.CutPrefix(hash, p.prefix)
	saltText, keyText, found := strings.Cut(rest, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(saltText)
	key, keyErr := base64.RawStdEncoding.DecodeString(keyText)
	if !found || saltErr != nil || keyErr != nil || len(key) != argonHashBytes {
		return nil, nil
	}
	return salt, key
}

// key computes a hash when there is a slot. The error is a *venues.Error rate_limited if
// that takes too long.
func (p *Passwords) key(ctx context.Context, password string, salt []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, hashWait)
	defer cancel()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		e := venues.Errorf(venues.CodeRateLimited, "too many passwords are being checked; try again")
		e.RetryAfter = hashWait
		return nil, e
	}
	p.hashed.Add(1)
	return argon2.IDKey([]byte(password), salt, p.cost.Passes, p.cost.MemoryKiB, argonThreads, argonHashBytes), nil
}

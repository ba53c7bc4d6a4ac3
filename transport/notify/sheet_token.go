package notify

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
	"google.golang.org/api/sheets/v4"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// keyBytesMax bounds a JSON key; Google's have some 2,400 bytes.
	keyBytesMax = 16 << 10
	// tokensMax is how many tokens are kept; beyond it they are fetched anew.
	tokensMax = 1024
	// tokenBytesMax lets a token that an answer repeats be found in what is kept.
	tokenBytesMax = answerKeptBytes - persistence.AttemptAnswerBytesMax
	// clockSkewMax is how far Google lets clocks differ.
	clockSkewMax = 5 * time.Minute
)

var (
	// errNoKey: the secret cannot be what it has to be.
	errNoKey = errors.New("the secret is not the JSON key of a service account")
	// errKeyRefused: Google does not take the key.
	errKeyRefused = errors.New("the key of the service account is not accepted")
)

// account is what is used of a service account's JSON key.
type account struct {
	id         [sha256.Size]byte
	email      string
	keyID      string
	privateKey string
}

var emailForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}@[A-Za-z0-9.-]{1,150}$`)

// parseAccount reads a JSON key. Its addresses are not used: they would let a
// customer choose where this service connects to.
func parseAccount(key venues.Secret) (account, error) {
	text := key.Reveal()
	var in struct {
		Type       string `json:"type"`
		Email      string `json:"client_email"`
		KeyID      string `json:"private_key_id"`
		PrivateKey string `json:"private_key"`
	}
	if len(text) > keyBytesMax || json.Unmarshal([]byte(text), &in) != nil ||
		in.Type != "service_account" || !emailForm.MatchString(in.Email) || !isPrivateKey(in.PrivateKey) {
		return account{}, errNoKey
	}
	return account{id: sha256.Sum256([]byte(text)), email: in.Email, keyID: in.KeyID, privateKey: in.PrivateKey}, nil
}

func isPrivateKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, isRSA := key.(*rsa.PrivateKey)
	return err == nil && isRSA
}

// tokens keeps the access tokens of accounts until they end.
type tokens struct {
	url    string
	client *http.Client

	mu   sync.Mutex
	byID map[[sha256.Size]byte]*oauth2.Token
}

func newTokens(url string, client *http.Client) *tokens {
	return &tokens{url: url, client: client, byID: map[[sha256.Size]byte]*oauth2.Token{}}
}

// of is a token of an account that is good now.
func (t *tokens) of(ctx context.Context, a account) (string, error) {
	if kept := t.kept(a); kept.Valid() {
		return kept.AccessToken, nil
	}
	fetched, err := t.fetch(ctx, a)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) >= tokensMax {
		clear(t.byID)
	}
	t.byID[a.id] = fetched
	return fetched.AccessToken, nil
}

func (t *tokens) kept(a account) *oauth2.Token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[a.id]
}

func (t *tokens) drop(a account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, a.id)
}

// accessTokenForm is what can stand in a header.
var accessTokenForm = regexp.MustCompile(`^[!-~]+$`)

// fetch exchanges an assertion signed with the account's key for a token.
func (t *tokens) fetch(ctx context.Context, a account) (*oauth2.Token, error) {
	config := jwt.Config{
		Email: a.email, PrivateKey: []byte(a.privateKey), PrivateKeyID: a.keyID,
		Scopes: []string{sheets.SpreadsheetsScope}, TokenURL: t.url,
	}
	ctx, seen := withExchange(ctx)
	bound := &http.Client{Transport: inContext{ctx, t.client.Transport}, CheckRedirect: t.client.CheckRedirect}
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, bound)).Token()
	switch refused, told := errors.AsType[*oauth2.RetrieveError](err); {
	case told:
		return nil, keyRefusal(ctx, seen, refused)
	case err != nil:
		return nil, fmt.Errorf("fetch a token: %w", seen.failure(ctx, err))
	case len(token.AccessToken) > tokenBytesMax, !accessTokenForm.MatchString(token.AccessToken):
		return nil, fmt.Errorf("fetch a token: %w: answered none", ErrUnreachable)
	}
	return token, nil
}

// keyRefusal tells a refusal of the key from one of the moment. A clock that is
// wrong here makes Google refuse every key, which must end no endpoint.
func keyRefusal(ctx context.Context, seen *exchange, refused *oauth2.RetrieveError) error {
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	code := refused.Response.StatusCode
	if json.Unmarshal(refused.Body, &said) != nil || said.Error == "" || (code != http.StatusBadRequest && code != http.StatusUnauthorized) {
		return fmt.Errorf("fetch a token: %w", seen.failure(ctx, refused))
	}
	if date, err := http.ParseTime(refused.Response.Header.Get("Date")); err == nil && time.Since(date).Abs() > clockSkewMax {
		return fmt.Errorf("fetch a token: %w: the clock of this service is wrong", ErrUnreachable)
	}
	return fmt.Errorf("%w: %s", errKeyRefused, short(said.Error+" "+said.Description))
}

// inContext gives requests that are made without one a context.
type inContext struct {
	ctx  context.Context //nolint:containedctx // the library makes its request without one
	base http.RoundTripper
}

func (c inContext) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.base.RoundTrip(r.WithContext(c.ctx))
}

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
	// keyBytesMax bounds a JSON key; Google's have about 2,400 bytes.
	keyBytesMax = 16 << 10
	// tokensMax bounds the cached tokens; beyond it they are fetched again.
	tokensMax = 1024
	// tokenBytesMax is short enough for a token in a recorded response to be redacted.
	tokenBytesMax = recordedBytesMax - persistence.AttemptAnswerBytesMax
	// clockSkewMax is the clock difference that Google tolerates.
	clockSkewMax = 5 * time.Minute
)

var (
	// errNoKey is returned for a secret of another form.
	errNoKey = errors.New("the secret is not the JSON key of a service account")
	// errKeyRejected is returned for a key that Google rejects.
	errKeyRejected = errors.New("the key of the service account is not accepted")
)

// account has the members of a service account's JSON key that are used.
type account struct {
	id         [sha256.Size]byte
	email      string
	keyID      string
	privateKey string
}

var emailForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}@[A-Za-z0-9.-]{1,150}$`)

// parseAccount parses a JSON key. Its URLs are not used: a customer could choose where
// this service connects to.
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

// tokens caches the access tokens of accounts until they expire.
type tokens struct {
	url    string
	client *http.Client

	mu   sync.Mutex
	byID map[[sha256.Size]byte]*oauth2.Token
}

func newTokens(url string, client *http.Client) *tokens {
	return &tokens{url: url, client: client, byID: map[[sha256.Size]byte]*oauth2.Token{}}
}

// of returns a valid token of an account.
func (t *tokens) of(ctx context.Context, a account) (string, error) {
	if cached := t.cached(a); cached.Valid() {
		return cached.AccessToken, nil
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

func (t *tokens) cached(a account) *oauth2.Token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[a.id]
}

func (t *tokens) drop(a account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, a.id)
}

// accessTokenForm is that of text that is safe in a header.
var accessTokenForm = regexp.MustCompile(`^[!-~]+$`)

// fetch exchanges an assertion signed with the account's key for a token.
func (t *tokens) fetch(ctx context.Context, a account) (*oauth2.Token, error) {
	config := jwt.Config{
		Email: a.email, PrivateKey: []byte(a.privateKey), PrivateKeyID: a.keyID,
		Scopes: []string{sheets.SpreadsheetsScope}, TokenURL: t.url,
	}
	ctx, recorded := withRecorder(ctx)
	bound := &http.Client{Transport: inContext{ctx, t.client.Transport}, CheckRedirect: t.client.CheckRedirect}
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, bound)).Token()
	switch rejected, ok := errors.AsType[*oauth2.RetrieveError](err); {
	case ok:
		return nil, keyRejection(ctx, recorded, rejected)
	case err != nil:
		return nil, fmt.Errorf("fetch a token: %w", recorded.failure(ctx, err))
	case len(token.AccessToken) > tokenBytesMax, !accessTokenForm.MatchString(token.AccessToken):
		return nil, fmt.Errorf("fetch a token: %w: it has no token", ErrUnreachable)
	}
	return token, nil
}

// keyRejection returns errKeyRejected for a rejected key, and ErrUnreachable for a
// temporary error. If the clock of this machine is wrong Google rejects every key,
// which must not end an endpoint.
func keyRejection(ctx context.Context, recorded *recorder, rejected *oauth2.RetrieveError) error {
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	code := rejected.Response.StatusCode
	if json.Unmarshal(rejected.Body, &body) != nil || body.Error == "" || (code != http.StatusBadRequest && code != http.StatusUnauthorized) {
		return fmt.Errorf("fetch a token: %w", recorded.failure(ctx, rejected))
	}
	if date, err := http.ParseTime(rejected.Response.Header.Get("Date")); err == nil && time.Since(date).Abs() > clockSkewMax {
		return fmt.Errorf("fetch a token: %w: the clock of this service is wrong", ErrUnreachable)
	}
	return fmt.Errorf("%w: %s", errKeyRejected, short(body.Error+" "+body.Description))
}

// inContext sends requests in a context.
type inContext struct {
	ctx  context.Context //nolint:containedctx // the library has no context for its request
	base http.RoundTripper
}

func (c inContext) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.base.RoundTrip(r.WithContext(c.ctx))
}

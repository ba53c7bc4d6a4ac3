package auth

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// Parts of a key; see the package comment.
const (
	keyPrefix     = "vgk_"
	keyIDChars    = 8
	secretChars   = 43
	checksumChars = 6
	keyChars      = len(keyPrefix) + keyIDChars + 1 + secretChars + checksumChars
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Grant is the permissions of a new key.
type Grant struct {
	Customer string
	Name     string
	Scopes   []persistence.Scope
	// ExpiresAt zero means never.
	ExpiresAt time.Time
	// Allow lists addresses and prefixes (CIDR) that may use the key; empty
	// allows all.
	Allow []string
}

// New makes a key and its record, which does not have the secret. entropy is
// crypto/rand.Reader outside tests. The error of an invalid grant is a *venues.Error
// invalid_request; other errors are those of entropy.
func New(entropy io.Reader, g Grant, now time.Time) (venues.Secret, persistence.APIKey, error) {
	if err := checkGrant(g); err != nil {
		return "", persistence.APIKey{}, err
	}
	text, err := randomText(entropy, keyIDChars+secretChars)
	if err != nil {
		return "", persistence.APIKey{}, fmt.Errorf("make an API key: %w", err)
	}
	id, secret := text[:keyIDChars], text[keyIDChars:]
	body := keyPrefix + id + "_" + secret
	hash, sum := hashSecret(secret), checksum(body)
	record := persistence.APIKey{
		ID: id, Customer: g.Customer, Name: g.Name, Hash: hash[:], Scopes: g.Scopes,
		CreatedAt: venues.At(now), Allow: g.Allow,
	}
	if !g.ExpiresAt.IsZero() {
		record.ExpiresAt = venues.At(g.ExpiresAt)
	}
	return venues.Secret(body + string(sum[:])), record, nil
}

func checkGrant(g Grant) error {
	for _, scope := range g.Scopes {
		switch scope {
		case persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount:
		default:
			return api.FieldError("scopes", api.RuleUnknownValue, string(scope), "read, trade, account")
		}
	}
	if len(g.Scopes) == 0 {
		return api.FieldError("scopes", api.RuleMissing, "", "read, trade, account")
	}
	for _, entry := range g.Allow {
		if _, err := ParsePrefix(entry); err != nil {
			return api.FieldError("allow", api.RuleMalformed, entry, "addresses and prefixes, such as 203.0.113.0/24")
		}
	}
	return nil
}

// randomText returns n random characters of base62. It drops bytes that would make
// some characters more likely.
func randomText(entropy io.Reader, n int) (string, error) {
	const fair = 256 - 256%len(base62)
	text := make([]byte, 0, n)
	var draw [64]byte
	for len(text) < n {
		if _, err := io.ReadFull(entropy, draw[:]); err != nil {
			return "", err
		}
		for _, b := range draw {
			if int(b) < fair && len(text) < n {
				text = append(text, base62[int(b)%len(base62)])
			}
		}
	}
	return string(text), nil
}

func hashSecret(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

func checksum(body string) (text [checksumChars]byte) {
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return text
}

// parseKey splits a key; ok is false for text that New cannot have made.
func parseKey(text string) (id, secret string, ok bool) {
	if len(text) != keyChars || !strings.HasPrefix(text, keyPrefix) || text[len(keyPrefix)+keyIDChars] != '_' {
		return "", "", false
	}
	body := text[:keyChars-checksumChars]
	if sum := checksum(body); string(sum[:]) != text[keyChars-checksumChars:] {
		return "", "", false
	}
	id = body[len(keyPrefix) : len(keyPrefix)+keyIDChars]
	secret = body[len(keyPrefix)+keyIDChars+1:]
	return id, secret, isBase62(id) && isBase62(secret)
}

func isBase62(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	return true
}

// Bearer returns the credentials of an Authorization header of the scheme Bearer
// (RFC 9110, 11.4), "" for any other. Schemes are compared without regard to case.
func Bearer(header string) string {
	scheme, credentials, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(credentials)
}

package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// issuer is the name that authenticator apps show.
	issuer      = "Venuegate"
	stepSeconds = 30
	// stepsApart is how many time steps a code may differ from the clock.
	stepsApart    = 1
	recoveryCodes = 10
	// recoveryBytes is the size of a recovery code, 16 characters in four groups.
	recoveryBytes = 10
)

var codeOptions = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// newTOTP returns a new secret of the second step, with the address that an authenticator
// app reads from a QR code.
func newTOTP(login string) (secret venues.Secret, url string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: login, Rand: rand.Reader})
	if err != nil {
		return "", "", err
	}
	return venues.Secret(key.Secret()), key.URL(), nil
}

// matchStep returns the time step whose code it is. Steps up to used are not accepted again.
func matchStep(secret venues.Secret, code string, used int, now time.Time) (step int, ok bool) {
	current := int(now.Unix() / stepSeconds)
	for step = max(current-stepsApart, used+1); step <= current+stepsApart; step++ {
		if valid, err := hotp.ValidateCustom(code, uint64(step), secret.Reveal(), codeOptions); err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// useCode accepts a code of the second step or a recovery code, each once.
func (s *Console) useCode(u *persistence.User, code string) error {
	code = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
	if i := slices.Index(u.Recovery, hashCode(code)); i >= 0 {
		u.Recovery = slices.Delete(slices.Clone(u.Recovery), i, i+1)
		return nil
	}
	secret, err := s.Secrets.Open(u.Sealed, u.Key())
	if err != nil {
		return err
	}
	step, ok := matchStep(secret, code, u.UsedStep, s.now())
	if !ok {
		return errSignIn
	}
	u.UsedStep = step
	return nil
}

// newRecoveryCodes gives a user other recovery codes and returns them.
func newRecoveryCodes(u *persistence.User) []string {
	codes := make([]string, recoveryCodes)
	u.Recovery = make([]string, recoveryCodes)
	for i := range codes {
		var random [recoveryBytes]byte
		_, _ = rand.Read(random[:]) // it never fails
		code := base32.StdEncoding.EncodeToString(random[:])
		u.Recovery[i] = hashCode(code)
		codes[i] = strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")
	}
	return codes
}

func hashCode(code string) string {
	sum := sha256.Sum256([]byte(code))
	return base64.StdEncoding.EncodeToString(sum[:])
}

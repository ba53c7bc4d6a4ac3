package console_test

import (
	"strings"
	"testing"

	"venuegate/transport/console"
)

// fastCost is the least cost of argon2id.
var fastCost = console.Cost{MemoryKiB: 8, Passes: 1}

// The other tests use fastCost; this one uses the cost of the service.
func TestHashesOfTheDefaultCost(t *testing.T) {
	const password = "correct horse battery"
	service := console.NewPasswords(console.DefaultCost)
	hash := must(service.Hash(t.Context(), password))
	if want := "$argon2id$v=19$m=32768,t=3,p=1$"; !strings.HasPrefix(hash, want) {
		t.Errorf("hash = %s, want it to begin with %s", hash, want)
	}
	for name, tt := range map[string]struct {
		passwords *console.Passwords
		password  string
		want      bool
	}{
		"the password":     {service, password, true},
		"another password": {service, password + "s", false},
		"another cost":     {console.NewPasswords(fastCost), password, false},
	} {
		if got, err := tt.passwords.Verify(t.Context(), hash, tt.password); err != nil || got != tt.want {
			t.Errorf("%s: verified = %v, error %v, want %v", name, got, err, tt.want)
		}
	}
}

package signing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/transport/signing"
)

// vectors were computed by openssl, with sh:
//
//	printf '%s' '1767225600.{"action":"notify","comment":"hello"}' | openssl dgst -sha256 -hmac whsec_test
//	printf '%s' '1767225600.' | openssl dgst -sha256 -hmac whsec_test
//	printf '1767225600.\377\000\n' | openssl dgst -sha256 -hmac whsec_test
//	printf '%s' '0.x' | openssl dgst -sha256 -hmac "$(printf 'k%.0s' $(seq 200))"
var vectors = []struct {
	name   string
	secret string
	at     int64
	body   string
	hex    string
}{
	{"json", "whsec_test", 1767225600, `{"action":"notify","comment":"hello"}`, "ac8ee0ec1f65e9d62bbc34b165ae261616673fd86002a079055ef646da0caba5"},
	{"empty body", "whsec_test", 1767225600, "", "bc5f22c68024f86d3be1b4ddd6417a119940e00ea9c5f409f8e48b2b4c7c771f"},
	{"raw bytes", "whsec_test", 1767225600, "\xff\x00\n", "5e981ef65e82de0cbeb2556b2737b46b0db79f548dce2c39d9d36119dcd98d05"},
	{"long secret", strings.Repeat("k", 200), 0, "x", "50ae18bf75ca698bb1dd28580b85e7736ea38c8cd46f3575bd0517707a057274"},
}

func TestSignaturesMatchOpenSSL(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			key := signing.NewKey(v.secret)
			for range 2 { // a key can be used again
				signature, timestamp := key.Sign(v.at, []byte(v.body))
				if signature != "sha256="+v.hex || timestamp != fmt.Sprint(v.at) {
					t.Fatalf("Sign = %s, %s; want sha256=%s, %d", signature, timestamp, v.hex, v.at)
				}
			}
			for _, text := range []string{v.hex, strings.ToUpper(v.hex), strings.ToUpper(v.hex[:9]) + v.hex[9:]} {
				err := signing.Verify("sha256="+text, fmt.Sprint(v.at), []byte(v.body), time.Unix(v.at, 0), key)
				if err != nil {
					t.Errorf("signature %s: error %v, want none", text, err)
				}
			}
		})
	}
}

func TestVerifyReturnsTheReason(t *testing.T) {
	key, other := signing.NewKey("whsec_one"), signing.NewKey("whsec_two")
	body := []byte(`{"action":"notify","comment":"hello"}`)
	at := time.Unix(1767225600, 0)
	good, stamp := key.Sign(at.Unix(), body)
	digits := strings.TrimPrefix(good, "sha256=")
	far, farStamp := key.Sign(999_999_999_999, body)
	for _, c := range []struct {
		name             string
		signature, stamp string
		now              time.Time
		keys             []*signing.Key
		want             error
	}{
		{"as signed", good, stamp, at, []*signing.Key{key}, nil},
		{"under the second key", good, stamp, at, []*signing.Key{other, key}, nil},
		{"under the first key", good, stamp, at, []*signing.Key{key, other}, nil},
		{"no signature", "", stamp, at, []*signing.Key{key}, signing.Missing},
		{"no timestamp", good, "", at, []*signing.Key{key}, signing.Missing},
		{"neither", "", "", at, []*signing.Key{key}, signing.Missing},
		{"no scheme", digits, stamp, at, []*signing.Key{key}, signing.Malformed},
		{"another scheme", "sha1=" + digits, stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a scheme in capitals", "SHA256=" + digits, stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a short digest", good[:len(good)-2], stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a long digest", good + "00", stamp, at, []*signing.Key{key}, signing.Malformed},
		{"no hexadecimal digit", good[:len(good)-1] + "g", stamp, at, []*signing.Key{key}, signing.Malformed},
		{"two signatures", good + "," + good, stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a space before", " " + good, stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a sign", good, "+" + stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a negative timestamp", good, "-" + stamp, at, []*signing.Key{key}, signing.Malformed},
		{"a fraction", good, stamp + ".0", at, []*signing.Key{key}, signing.Malformed},
		{"an underscore", good, "1_767225600", at, []*signing.Key{key}, signing.Malformed},
		{"a hexadecimal timestamp", good, "0x6955b900", at, []*signing.Key{key}, signing.Malformed},
		{"thirteen digits", good, stamp + "000", at, []*signing.Key{key}, signing.Malformed},
		{"another second", good, "1767225601", at, []*signing.Key{key}, signing.Mismatch},
		{"a zero before", good, "0" + stamp, at, []*signing.Key{key}, signing.Mismatch},
		{"another key", good, stamp, at, []*signing.Key{other}, signing.Mismatch},
		{"no key", good, stamp, at, nil, signing.Mismatch},
		{"300 s late", good, stamp, at.Add(300 * time.Second), []*signing.Key{key}, nil},
		{"300 s early", good, stamp, at.Add(-300 * time.Second), []*signing.Key{key}, nil},
		{"more than 300 s late", good, stamp, at.Add(300*time.Second + 1), []*signing.Key{key}, signing.Stale},
		{"more than 300 s early", good, stamp, at.Add(-300*time.Second - 1), []*signing.Key{key}, signing.Stale},
		{"wrong and late", good, "1", at, []*signing.Key{key}, signing.Mismatch},
		{"far in the future", far, farStamp, at, []*signing.Key{key}, signing.Stale},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := signing.Verify(c.signature, c.stamp, body, c.now, c.keys...); !errors.Is(err, c.want) {
				t.Errorf("error = %v, want %v", err, c.want)
			}
		})
	}
}

func TestHeaderNamesHaveThePrefix(t *testing.T) {
	want := signing.Headers{Signature: "X-Service-Signature", Timestamp: "X-Service-Timestamp", EventID: "X-Service-Event-Id", Attempt: "X-Service-Attempt"}
	if got := signing.NewHeaders(""); got != want {
		t.Errorf("headers = %+v, want %+v", got, want)
	}
	if got := signing.NewHeaders("X-Brand").Signature; got != "X-Brand-Signature" {
		t.Errorf("header = %s, want X-Brand-Signature", got)
	}
}

func TestKeyDoesNotPrintItsSecret(t *testing.T) {
	key := signing.NewKey("whsec_canary")
	if text := fmt.Sprintf("%v %+v %#v %s", key, key, key, key); strings.Contains(text, "canary") {
		t.Errorf("key prints as %s, want no secret in it", text)
	}
}

package okx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

func TestSign(t *testing.T) {
	const stamp = "2020-12-08T09:08:57.715Z"
	for _, c := range []struct{ stamp, method, target, body, want string }{
		{stamp, "GET", "/api/v5/account/balance?ccy=BTC", "", "HiZhvSfMtWJA3uUIVXV3a/bSXNPCWvYFXoGCVS8V4zY="},
		{stamp, "POST", "/api/v5/account/set-leverage", `{"instId":"BTC-USDT","lever":"5","mgnMode":"isolated"}`, "eCnnCgWLjlQ9XnpUkrcny3qNq3WW/81KNrDr/XR6Xv8="},
		{"1704876947", "GET", loginTarget, "", "5/36BgGV6m/6pmdc20zdqk0mzF5ZalmzzPD2fo3wavU="},
	} {
		if got := sign(scriptSecret, c.stamp, c.method, c.target, c.body); got != c.want {
			t.Errorf("signature of %s %s = %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

func TestLogin(t *testing.T) {
	l := newLogin(venues.Credentials{APIKey: "k", APISecret: scriptSecret, Passphrase: "p"}, time.Unix(1704876947, 999))
	text, err := json.Marshal(l)
	want := `{"op":"login","args":[{"apiKey":"k","passphrase":"p","timestamp":"1704876947","sign":"5/36BgGV6m/6pmdc20zdqk0mzF5ZalmzzPD2fo3wavU="}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s: err = %v, want %v", text, err, want)
	}
}

func TestPresets(t *testing.T) {
	for _, name := range []string{Live, Demo, LiveEEA, DemoEEA, LiveUS, DemoUS} {
		o, ok := Preset(name)
		if !ok || o.Validate() != nil || o.Simulated != strings.HasPrefix(name, Demo) {
			t.Errorf("%s: o = %+v, want valid options, simulated for a demo environment only", name, o)
		}
	}
	if _, ok := Preset("elsewhere"); ok {
		t.Error("Preset of an unknown environment: ok = true, want false")
	}
	if Sim("", "ws://x").Validate() == nil || Sim("http://x", "").Validate() == nil {
		t.Error("Validate of options without hosts: no error, want one")
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	s := newScript(t)
	if text := fmt.Sprintf("%v %+v", s.account.credentials, s.account.credentials); strings.Contains(text, scriptSecret) {
		t.Errorf("credentials print as %s, want no secret", text)
	}
	s.Add("GET /api/v5/account/balance", connectortest.Answer{Status: 500, Body: "<html>"})
	_, err := s.account.Balances(background)
	if err == nil || strings.Contains(err.Error(), scriptKey) || strings.Contains(err.Error(), scriptPassphrase) {
		t.Error(err)
	}
	if _, err := s.connector.OpenAccount(venues.Credentials{APIKey: "k", APISecret: "s"}); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("credentials without a passphrase: error %v, want unauthorized", err)
	}
}

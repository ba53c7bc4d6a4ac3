package main

import (
	"fmt"
	"io"
	"os"

	"venuegate/transport/signing"
)

// printDemo prints the addresses of the demo and what to try first.
func printDemo(w io.Writer, config Config, d DemoFile) {
	program := os.Args[0]
	data, kept := "", "Keys, orders, journal and the simulated venues"
	if config.Sim != "" {
		kept = "Keys, orders and journal"
	}
	if config.Data != DefaultConfig().Data {
		data = " --data " + config.Data
	}
	fmt.Fprintf(w, `
venuegate serves a demo on simulated venues.

  REST      %s/v1      docs: %s/docs
  stream    %s
  events    %s   (received by the demo's own endpoint)
  admin     %s   (token in %s/%s)
  API key   %s
%s
Try, in another terminal:

  # place an order
  curl -sS %s/v1/orders -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \
    -d '{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}'

  # watch a book
  %s watch%s book:binance:BTCUSDT:10

%s
Then: curl -sS %s   Ctrl-C stops it. %s stay in %s.
`,
		d.BaseURL, d.BaseURL, d.WSURL, d.Receiver.URL, d.AdminURL, config.Data, adminTokenName, d.APIKey, consoleLine(d.Console),
		d.BaseURL, d.APIKey, program, data, signalCommand(config, d.Hook), d.Receiver.URL, kept, config.Data)
}

// consoleLine returns the address of the console and how to sign in to it.
func consoleLine(c *DemoConsole) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("  console   %s   user: %s   password: %s\n", c.URL, c.User, c.Password)
}

// signalCommand returns shell commands that send a signed signal with openssl and
// curl.
func signalCommand(config Config, h DemoHook) string {
	headers := signing.NewHeaders(config.HeaderPrefix)
	return fmt.Sprintf(`  # send a signal
  BODY='{"action":"order","exchange":"binance","symbol":"ETHUSDT","side":"buy","qty":"0.1"}'; TIME=$(date +%%s)
  SIGN=$(printf '%%s.%%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac '%s' -r | cut -d' ' -f1)
  curl -sS %s -H 'Content-Type: application/json' \
    -H "%s: $TIME" -H "%s: sha256=$SIGN" -d "$BODY"
`, h.Secret, h.URL, headers.Timestamp, headers.Signature)
}

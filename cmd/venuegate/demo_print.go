package main

import (
	"fmt"
	"io"
	"os"
)

// printDemo tells people where the demo is and what to try first.
func printDemo(w io.Writer, config Config, d DemoFile) {
	program := os.Args[0]
	data := ""
	if config.Data != DefaultConfig().Data {
		data = " --data " + config.Data
	}
	fmt.Fprintf(w, `
venuegate serves a demo on simulated venues.

  REST      %s/v1      docs: %s/docs
  stream    %s
  admin     %s   (token in %s/%s)
  API key   %s

Try, in another terminal:

  # place an order
  curl -sS %s/v1/orders -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \
    -d '{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}'

  # watch a book
  %s watch%s book:binance:BTCUSDT:10

  # see what became of it
  curl -sS %s/v1/positions -H 'Authorization: Bearer %s'

Ctrl-C stops it. Keys, orders and journal stay in %s.
`,
		d.BaseURL, d.BaseURL, d.WSURL, d.AdminURL, config.Data, adminTokenName, d.APIKey,
		d.BaseURL, d.APIKey, program, data, d.BaseURL, d.APIKey, config.Data)
}

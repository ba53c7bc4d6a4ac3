package binance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// The vectors of the file were signed with openssl.
func TestSigningVectors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "signing_vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name      string            `json:"name"`
		Secret    venues.Secret     `json:"secret"`
		Params    restclient.Params `json:"params"`
		Text      string            `json:"text"`
		Signature string            `json:"signature"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("%d vectors, error %v, want some without error", len(vectors), err)
	}
	for _, v := range vectors {
		if got := v.Params.Encode(); got != v.Text {
			t.Errorf("%s: encoded %s, want %s", v.Name, got, v.Text)
		}
		if got := sign(v.Secret, v.Text, ""); got != v.Signature {
			t.Errorf("%s: signature %s, want %s", v.Name, got, v.Signature)
		}
	}
}

// The vectors of the documentation, the second one without the stray space of the printed
// example.
func TestSign(t *testing.T) {
	const secret = venues.Secret("2b5eb11e18796d12d88f13dc27dbbd02c2cc51ff7059765ed9821957d82bb4d9")
	for _, v := range []struct{ name, query, body, want string }{
		{
			"query",
			"symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1&price=9000&timeInForce=GTC&recvWindow=5000&timestamp=1591702613943", "",
			"3c661234138461fcc7a7d8746c6558c9842d4e10870d2ecbedf7777cad694af9",
		},
		{
			"query and body joined by nothing",
			"symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC", "quantity=1&price=9000&recvWindow=5000&timestamp=1591702613943",
			"30baaf0fab549bbeda7f5ef201898b34122da25fd23c646cac2c529aebe670a4",
		},
	} {
		if got := sign(secret, v.query, v.body); got != v.want {
			t.Errorf("%s: signature %s, want %s", v.name, got, v.want)
		}
	}
}

// The vector of the documentation of the venue's WebSocket API.
func TestSignSortedParams(t *testing.T) {
	const secret = venues.Secret("NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j")
	p := restclient.Params{{"symbol", "BTCUSDT"}, {"side", "SELL"}, {"type", "LIMIT"}}.
		With("timeInForce", "GTC").With("quantity", "0.01000000").With("price", "52000.00").
		With("newOrderRespType", "ACK").With("recvWindow", "100").With("timestamp", "1645423376532").
		With("apiKey", "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A")
	const want = "cc15477742bd704c29492d96c7ead9414dfd8e0ec4a00f947bb5bb454ddbd08a"
	if got := sign(secret, sortedText(p), ""); got != want {
		t.Errorf("signature %s of %s, want %s", got, sortedText(p), want)
	}
	if p[0][0] != "symbol" {
		t.Error("sortedText changed the parameters that are sent")
	}
}

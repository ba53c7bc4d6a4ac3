package binance

import (
	"testing"

	"venuegate/venues"
)

// The first two vectors are the documentation's, the second with the stray space
// of the printed example taken out; the third signs percent-encoded text.
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

func TestParamsKeepTheirOrderAndEncoding(t *testing.T) {
	p := params{{"symbol", "币安人生USDT"}, {"price", "1"}}.with("newClientOrderId", "a:b/c").withOptional("stop", venues.Optional{})
	const want = "symbol=%E5%B8%81%E5%AE%89%E4%BA%BA%E7%94%9FUSDT&price=1&newClientOrderId=a%3Ab%2Fc"
	if got := p.encode(); got != want {
		t.Errorf("encoded %s, want %s", got, want)
	}
}

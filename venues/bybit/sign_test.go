package bybit

import (
	"testing"
)

// Vectors for the venue's rule, computed independently of this code.
func TestSignVectors(t *testing.T) {
	for _, c := range []struct{ timestamp, payload, want string }{
		{"1658384314791", "category=linear&symbol=BTCUSDT", "b5558b918685c8f5ae2923292d87c84826342ff223a71f0377981ec7a6f8caf1"},
		{
			"1658385579423", `{"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.001","price":"10000","timeInForce":"GTC","positionIdx":0,"orderLinkId":"t-1"}`,
			"e70cce07214bebfd33a367e63e90437f7a5206718cee2f7322486c1f96f34a60",
		},
	} {
		if got := sign(scriptSecret, c.timestamp, scriptKey, "5000", c.payload); got != c.want {
			t.Errorf("signature of %s = %s, want %v", c.payload, got, c.want)
		}
	}
	if got := signStream(scriptSecret, 1662350400000); got != "93716bf76dc0faedd4e5f360f8738468cf2290c9153d8a5b12cad4ee1556782a" {
		t.Errorf("signature of the login = %s, want 93716bf76dc0faedd4e5f360f8738468cf2290c9153d8a5b12cad4ee1556782a", got)
	}
}

package restclient_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

func TestParamsKeepTheirOrder(t *testing.T) {
	p := restclient.Params{{"symbol", "币安人生USDT"}, {"price", "1"}}.With("newClientOrderId", "a:b/c").WithOptional("stop", venues.Optional{})
	const base = "symbol=%E5%B8%81%E5%AE%89%E4%BA%BA%E7%94%9FUSDT&price=1&newClientOrderId=a%3Ab%2Fc"
	one, other := p.WithOptional("qty", venues.Some(decimal.RequireFromString("1.50"))), p.With("note", "x y,z")
	for got, want := range map[string]string{
		restclient.Params(nil).Encode(): "",
		p.Encode():                      base,
		one.Encode():                    base + "&qty=1.5",
		other.Encode():                  base + "&note=x+y%2Cz",
	} {
		if got != want {
			t.Errorf("Encode = %s, want %s", got, want)
		}
	}
}

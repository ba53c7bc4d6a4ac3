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
	more := p.WithOptional("qty", venues.Some(decimal.RequireFromString("1.50"))).With("note", "x y,z")
	for _, c := range []struct {
		params restclient.Params
		want   string
	}{
		{nil, ""},
		{p, base},
		{more, base + "&qty=1.5&note=x+y%2Cz"},
	} {
		if got := c.params.Encode(); got != c.want {
			t.Errorf("Encode = %s, want %s", got, c.want)
		}
	}
}

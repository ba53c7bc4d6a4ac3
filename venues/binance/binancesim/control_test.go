package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

func TestLedgerOverTheControlAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy("newClientOrderId=good"))
		v.signed(http.MethodPost, orderPath, limitBuy("quantity=40", "newClientOrderId=bad"))
		rows := v.Script(http.MethodGet, "/ledger", "")["orders"].([]any)
		good, bad := rows[0].(map[string]any), rows[1].(map[string]any)
		simtest.Expect(t, good, simtest.Object{"clientOrderId": "good", "status": "new", "account": "demo", "baseQty": "0.01"})
		simtest.Expect(t, bad, simtest.Object{"clientOrderId": "bad", "status": "refused", "refusal": "-2019 Margin is insufficient."})
	})
}

func TestControlErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, test := range []struct {
			path, body string
			status     int
		}{
			{"/market", `{"symbol":"BTCUSDT","prize":"1"}`, 400},
			{"/market", `{"symbol":"BTCUSDT","price":"1e9"}`, 400},
			{"/market", `{"symbol":"NOPE","price":"1"}`, 400},
			{"/market", `{} {}`, 400},
			{"/faults", `{"do":"nothing"}`, 400},
			{"/accounts/nobody", `{}`, 404},
		} {
			if r := v.Control(http.MethodPost, test.path, test.body); r.Status != test.status || r.Object(t)["error"] == nil {
				t.Errorf("%s %s: %d %s, want %d with an error", test.path, test.body, r.Status, r.Body, test.status)
			}
		}
		created := v.Script(http.MethodPost, "/accounts", "")
		v.Credentials.APIKey, v.Credentials.APISecret = created["apiKey"].(string), created["apiSecret"].(string)
		simtest.Expect(t, v.signed(http.MethodGet, "/fapi/v3/account", "").Object(t), simtest.Object{"totalWalletBalance": "100000.00000000"})
	})
}

package binancesim_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// vectorTime is the timestamp in the published signatures.
const vectorTime = 1591702613943

func TestPublishedSignatureExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, err := os.ReadFile(fixture(t, "signing_vectors.json"))
		if err != nil {
			t.Fatal(err)
		}
		var vectors []struct {
			Label     string `json:"label"`
			Secret    string `json:"secret"`
			Query     string `json:"queryString"`
			Body      string `json:"body"`
			Signature string `json:"signature"`
		}
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatal(err)
		}
		credentials := simcore.Credentials{APIKey: strings.Repeat("k", 64), APISecret: vectors[0].Secret}
		began := time.Now()
		v := start(t, binancesim.Options{
			Setup: simnet.Setup{Quiet: true, DemoCredentials: &credentials, Now: func() time.Time { return time.UnixMilli(vectorTime).Add(time.Since(began) / 100) }},
		})
		for i, vector := range vectors[:2] {
			v.post(vector.Query+"&signature="+vector.Signature, vector.Body).ExpectStatus(t, http.StatusOK)
			if vector.Body != "" {
				v.post(vector.Query, vector.Body+"&signature="+strings.ToUpper(vector.Signature)).ExpectStatus(t, http.StatusOK)
			}
			if code := v.post(vector.Query+"&signature="+vectors[2].Signature, vector.Body).code(); code != -1022 {
				t.Errorf("vector %d with another signature: code %d, want -1022", i, code)
			}
		}
	})
}

// post sends an order with parameters in both places.
func (v *venue) post(query, body string) reply {
	v.Helper()
	request, err := http.NewRequest(http.MethodPost, v.Endpoints.RestURL+orderPath+"?"+query, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("X-MBX-APIKEY", v.Credentials.APIKey)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(request)
}

func TestAuthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		now := func(offset time.Duration) string {
			return strconv.FormatInt(v.Now().Add(offset).UnixMilli(), 10)
		}
		sign := func(params string) string {
			return params + "&signature=" + simtest.HMACHex(v.Credentials.APISecret, params)
		}
		for _, test := range []struct {
			name, key, query string
			status, code     int
			message          string
		}{
			{"no key", "", sign("timestamp=" + now(0)), 401, -2014, "API-key format invalid."},
			{"short key", "abc", sign("timestamp=" + now(0)), 401, -2014, ""},
			{"unknown key", strings.Repeat("z", 64), sign("timestamp=" + now(0)), 401, -2015, ""},
			{"no timestamp", v.Credentials.APIKey, sign("recvWindow=5000"), 400, -1102, "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed."},
			{"no signature", v.Credentials.APIKey, "timestamp=" + now(0), 400, -1102, "Mandatory parameter 'signature' was not sent, was empty/null, or malformed."},
			{"bad signature", v.Credentials.APIKey, sign("timestamp="+now(0)) + "0", 400, -1022, "Signature for this request is not valid."},
			{"behind", v.Credentials.APIKey, sign("timestamp=" + now(-6*time.Second)), 400, -1021, "Timestamp for this request is outside of the recvWindow."},
			{"behind a small window", v.Credentials.APIKey, sign("recvWindow=100&timestamp=" + now(-time.Second)), 400, -1021, ""},
			{"within a large window", v.Credentials.APIKey, sign("recvWindow=60000&timestamp=" + now(-30*time.Second)), 200, 0, ""},
			{"ahead", v.Credentials.APIKey, sign("timestamp=" + now(5*time.Second)), 400, -1021, "Timestamp for this request was 1000ms ahead of the server's time."},
			{"window too large", v.Credentials.APIKey, sign("recvWindow=60001&timestamp=" + now(0)), 400, -1131, ""},
			{"good", v.Credentials.APIKey, sign("timestamp=" + now(0)), 200, 0, ""},
		} {
			request := v.rawRequest(http.MethodGet, "/fapi/v1/accountConfig?"+test.query)
			request.Header.Set("X-MBX-APIKEY", test.key)
			r := v.do(request)
			if r.Status != test.status || r.code() != test.code || test.message != "" && r.Object(t)["msg"] != test.message {
				t.Errorf("%s: %d %s, want %d with code %d %q", test.name, r.Status, r.Body, test.status, test.code, test.message)
			}
		}
	})
}

func TestQueryWinsOverBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		query := limitBuy("newClientOrderId=fromquery", "price=60000") + "&timestamp=" + strconv.FormatInt(v.Now().UnixMilli(), 10)
		body := "newClientOrderId=frombody&price=1"
		answer := v.post(query, body+"&signature="+simtest.HMACHex(v.Credentials.APISecret, query+body)).Object(t)
		simtest.Expect(t, answer, simtest.Object{"clientOrderId": "fromquery", "price": "60000.00"})
	})
}

func TestServerTimeRevealsAWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		request := v.request(http.MethodGet, "/fapi/v1/accountConfig", "")
		v.Script(http.MethodPost, "/clock", `{"offsetMs":600000}`)
		v.do(request).expectCode(t, -1021)
		// A client corrects its clock by the venue's time.
		var body struct {
			ServerTime int64 `json:"serverTime"`
		}
		if err := json.Unmarshal(v.public("/fapi/v1/time").Body, &body); err != nil {
			t.Fatal(err)
		}
		if ahead := time.Until(time.UnixMilli(body.ServerTime)); ahead < 9*time.Minute || ahead > 10*time.Minute {
			t.Errorf("the venue's clock is %s ahead, want 9 to 10 minutes", ahead)
		}
		v.signed(http.MethodGet, "/fapi/v1/accountConfig", "").ExpectStatus(t, http.StatusOK)
	})
}

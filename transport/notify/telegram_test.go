package notify_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"venuegate/persistence"
	"venuegate/transport/hostiletest"
	"venuegate/transport/notify"
	"venuegate/venues"
)

const (
	tokenKey = "AAcanaryCANARYcanaryCANARYcanary"
	token    = "123456:" + tokenKey
)

// botAPI is the Bot API.
type botAPI struct {
	*httptest.Server
	mu sync.Mutex
	// responses replace the usual ones of a method, or of "method chat".
	responses map[string]botResponse
	calls     []string
	sent      []map[string]string
	// bodies are those of requests in JSON.
	bodies []string
}

type botResponse struct {
	status int
	body   string
}

func newBotAPI(t *testing.T, responses map[string]botResponse) *botAPI {
	t.Helper()
	api := &botAPI{responses: responses}
	api.Server = httptest.NewServer(http.HandlerFunc(api.serve))
	t.Cleanup(api.Close)
	return api
}

var usualResponses = map[string]string{
	"getMe":          `{"ok":true,"result":{"id":123456,"is_bot":true,"first_name":"b"}}`,
	"getChat":        `{"ok":true,"result":{"id":42,"type":"private"}}`,
	"getChatMember":  `{"ok":true,"result":{"status":"administrator","user":{"id":123456},"can_post_messages":true}}`,
	"getUpdates":     `{"ok":true,"result":[]}`,
	"sendChatAction": `{"ok":true,"result":true}`,
	"sendMessage":    `{"ok":true,"result":{"message_id":1,"date":1,"chat":{"id":42,"type":"private"},"text":"x"}}`,
}

func (a *botAPI) serve(w http.ResponseWriter, in *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	method, known := strings.CutPrefix(in.URL.Path, "/bot"+token+"/")
	if !known || in.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":404,"description":"Not Found"}`)
		return
	}
	in.Body = http.MaxBytesReader(w, in.Body, 1<<20)
	if in.Header.Get("Content-Type") == "application/json" {
		body, _ := io.ReadAll(in.Body)
		a.bodies = append(a.bodies, string(body))
	}
	_ = in.ParseMultipartForm(1 << 20) //nolint:gosec // bounded above; getMe has no form
	a.calls = append(a.calls, method)
	form := map[string]string{}
	if in.MultipartForm != nil {
		for name, values := range in.MultipartForm.Value {
			form[name] = values[0]
		}
	}
	response, replaced := a.responses[method+" "+form["chat_id"]]
	if !replaced {
		response, replaced = a.responses[method]
	}
	if !replaced {
		response = botResponse{200, usualResponses[method]}
	}
	if method == "sendMessage" && response.status == http.StatusOK {
		a.sent = append(a.sent, form)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "http://127.0.0.1:1/")
	w.WriteHeader(response.status)
	_, _ = io.WriteString(w, response.body)
}

func telegram(t *testing.T, url string, timeout time.Duration) *notify.Telegram {
	t.Helper()
	s, err := notify.NewTelegram(notify.TelegramOptions{URL: url, Unseal: unsealed, UserAgent: "venuegate/test", Timeout: cmp.Or(timeout, waitMax)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func chat(target string) persistence.Endpoint {
	return persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointTelegram, Target: target, Sealed: sealed(token)}
}

// checkNoToken fails the test if a part of an attempt contains a secret.
func checkNoToken(t *testing.T, out persistence.Attempt) {
	t.Helper()
	if text := fmt.Sprintf("%v %s %s", out.Err, out.Answer, out.Gone); strings.Contains(text, "canary") || strings.Contains(text, "CANARY") {
		t.Errorf("attempt = %s, want no secret in it", text)
	}
}

func TestMessageIsSentToTheChat(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL+"/", 0)
	for _, target := range []string{"42", "-1001234567890", "@channel_name"} {
		out := s.Send(t.Context(), chat(target), closed("evt_1", "by hand"), 1, now)
		if out.Err != nil || out.Code != 200 || string(out.Answer) != usualResponses["sendMessage"] || out.Gone != "" {
			t.Fatalf("attempt = %+v, want 200", out)
		}
		got := api.sent[len(api.sent)-1]
		want := map[string]string{
			"chat_id": target, "link_preview_options": `{"is_disabled":true}`,
			"text": "Position closed: long 0.5 BTCUSDT on binance\nEntry: 64000.1\nExit: 64100.2\nP&L: 50.05\nFee: -0.000000000000000001\n" +
				"Reason: take profit\nComment: by hand\n2026-01-01T00:00:00.005Z",
		}
		if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
			t.Errorf("sent %s, want %s", a, b)
		}
	}
}

func TestEachEventHasItsMessage(t *testing.T) {
	order := members{
		"orderId": "ord_1", "exchange": "okx", "symbol": "ETHUSDT", "side": "buy", "orderType": "market", "qty": "2", "avgPrice": "3100",
		"fee": "0.62", "feeCurrency": "USDT", "source": "webhook", "comment": "",
	}
	part := members{"lastQty": "0.5", "lastPrice": "3099", "filledQty": "1.5", "remainingQty": "0.5"}
	for name, value := range order {
		part[name] = value
	}
	for _, c := range []struct {
		kind persistence.EventType
		data any
		want string
	}{
		{persistence.EventOrderFilled, order, "Order filled: buy 2 ETHUSDT on okx\nAverage price: 3100\nFee: 0.62 USDT\nOrder: ord_1"},
		{persistence.EventOrderFilled, members{"side": "buy", "qty": "2", "symbol": "ETHUSDT", "exchange": "okx", "avgPrice": nil, "fee": nil}, "Order filled: buy 2 ETHUSDT on okx"},
		{persistence.EventOrderPartiallyFilled, part, "Order partially filled: buy 0.5 ETHUSDT on okx\nPrice: 3099\nFilled: 1.5 of 2\nOrder: ord_1"},
		{persistence.EventStopTriggered, members{"orderId": "ord_1", "exchange": "okx", "symbol": "ETHUSDT", "side": "sell", "kind": "stop_loss", "triggerPrice": "3000"}, "Triggered: stop loss of ETHUSDT on okx\nTrigger price: 3000\nOrder: ord_1"},
		{persistence.EventAlertFired, members{"alertId": "alr_1", "exchange": "okx", "symbol": "ETHUSDT", "condition": members{"field": "last", "op": "crosses_above", "value": "3100"}, "price": "3100.5", "comment": "look"}, "Alert: ETHUSDT on okx\nlast price crosses above 3100\nPrice: 3100.5\nComment: look"},
		{persistence.EventRiskLimitReached, members{"limit": "daily_loss", "threshold": "100", "actual": "100.5", "action": "trading_locked", "exchange": "okx"}, "Risk limit reached: daily loss on okx\nThreshold: 100\nActual: 100.5\nAction: trading locked"},
		{persistence.EventNotification, members{"channelId": "hook_1", "channel": "my script", "comment": "hello"}, "Signal of my script\nComment: hello"},
		{persistence.EventNotification, members{"channel": "my script", "exchange": "okx", "symbol": "ETHUSDT", "comment": "hello"}, "Signal of my script\nInstrument: ETHUSDT on okx\nComment: hello"},
		{"endpoint.test", members{"comment": "it works"}, "endpoint.test\nComment: it works"},
		{persistence.EventOrderFilled, nil, "order.filled"},
		{persistence.EventOrderFilled, members{"qty": 2}, "order.filled"},
		{persistence.EventOrderFilled, []int{1}, "order.filled"},
	} {
		api := newBotAPI(t, nil)
		out := telegram(t, api.URL, 0).Send(t.Context(), chat("42"), newEvent("evt_1", c.kind, c.data), 1, now)
		if out.Err != nil || api.sent[0]["text"] != c.want+"\n2026-01-01T00:00:00.005Z" {
			t.Errorf("%s: error %v, sent %q; want %q", c.kind, out.Err, api.sent, c.want)
		}
	}
}

func TestMarkupInACommentIsText(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	for i, comment := range payloads() {
		out := s.Send(t.Context(), chat("42"), closed("evt_1", comment), 1, now)
		if out.Err != nil {
			t.Fatalf("comment %q: error %v, want none", comment, out.Err)
		}
		form := api.sent[i]
		checkClean(t, form["text"])
		if n := strings.Count(form["text"], "\n"); n > 7 {
			t.Errorf("comment %q: text %q has %d line breaks, want at most 7", comment, form["text"], n)
		}
		if len(utf16.Encode([]rune(form["text"]))) > 4096 || form["parse_mode"] != "" || form["entities"] != "" {
			t.Errorf("comment %q: form = %v, want a text of at most 4096 units without markup", comment, form)
		}
	}
}

func TestMessageIsBounded(t *testing.T) {
	api := newBotAPI(t, nil)
	all := members{"condition": members{"field": strings.Repeat("\U0001f600", 9000), "op": "x", "value": "y"}}
	for _, name := range []string{"symbol", "exchange", "price", "comment", "orderId"} {
		all[name] = strings.Repeat("\U0001f600", 9000)
	}
	out := telegram(t, api.URL, 0).Send(t.Context(), chat("42"), newEvent("evt_1", persistence.EventAlertFired, all), 1, now)
	text := api.sent[0]["text"]
	units := utf16.Encode([]rune(text))
	if out.Err != nil || len(units) > 4096 || len(units) < 4000 || !strings.HasSuffix(text, "\U0001f600…") {
		t.Errorf("error %v, text of %d units; want none and 4000 to 4096 units", out.Err, len(units))
	}
}

func TestRejectionsOfTheBotAPI(t *testing.T) {
	reject := func(code int, message, more string) botResponse {
		text, _ := json.Marshal(message)
		return botResponse{code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%s%s}`, code, text, more)}
	}
	for _, c := range []struct {
		name     string
		response botResponse
		text     string
		gone     bool
		wait     int
	}{
		{"revoked", reject(401, "Unauthorized", ""), "token", true, 0},
		{"never existed", reject(404, "Not Found", ""), "token", true, 0},
		{"blocked", reject(403, "Forbidden: bot was blocked by the user", ""), "blocked by the user", true, 0},
		{"kicked", reject(403, "Forbidden: bot was kicked from the group chat", ""), "kicked", true, 0},
		{"no chat", reject(400, "Bad Request: chat not found", ""), "chat not found", false, 0},
		{"too fast", reject(429, "Too Many Requests: retry after 35", `,"parameters":{"retry_after":35}`), "too many", false, 35},
		{"far too fast", reject(429, "Too Many Requests", `,"parameters":{"retry_after":99999999}`), "too many", false, 7 * 24 * 3600},
		{"too fast, negative", reject(429, "Too Many Requests", `,"parameters":{"retry_after":-9}`), "too many", false, 0},
		{"conflict", reject(409, "Conflict", ""), "Conflict", false, 0},
		{"internal", reject(500, "Internal Server Error", ""), "status 500", false, 0},
		{"a proxy", botResponse{404, "<html>Not Found</html>"}, "status 404", false, 0},
		{"a proxy's rejection", botResponse{403, "<html>"}, "status 403", false, 0},
		{"empty", botResponse{200, ""}, "status 200", false, 0},
		{"not ok", botResponse{200, "{}"}, "status 200", false, 0},
		{"moved", botResponse{302, ""}, "status 302", false, 0},
		{"echo", reject(400, "no "+token+" \x1b[1m\u202e"+strings.Repeat("x", 9000), ""), "no [redacted]", false, 0},
		{"echo of the key", reject(403, "123456%3A"+tokenKey, ""), "[redacted]", true, 0},
		{"echo in a long body", botResponse{500, strings.Repeat("x", persistence.AttemptAnswerBytesMax-10) + token + strings.Repeat("x", 9000)}, "status 500", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newBotAPI(t, map[string]botResponse{"sendMessage": c.response})
			out := telegram(t, api.URL, 0).Send(t.Context(), chat("42"), closed("evt_1", ""), 1, now)
			if out.Err == nil || !strings.Contains(out.Err.Error(), c.text) || len(out.Err.Error()) > 600 {
				t.Errorf("error = %v, want a short one with %q", out.Err, c.text)
			}
			if out.Code != c.response.status || (out.Gone != "") != c.gone || out.RetryAfterSec != c.wait || out.Throttled != (c.response.status == 429) {
				t.Errorf("attempt = %+v, want %d, gone %v, retry after %d", out, c.response.status, c.gone, c.wait)
			}
			if len(out.Answer) > persistence.AttemptAnswerBytesMax || len(api.calls) != 1 {
				t.Errorf("answer of %d bytes after calls %v, want at most %d after one", len(out.Answer), api.calls, persistence.AttemptAnswerBytesMax)
			}
			checkNoToken(t, out)
		})
	}
}

func TestMessageFollowsAGroupToItsSupergroup(t *testing.T) {
	moved := botResponse{400, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded","parameters":{"migrate_to_chat_id":-100777}}`}
	api := newBotAPI(t, map[string]botResponse{"sendMessage -42": moved})
	out := telegram(t, api.URL, 0).Send(t.Context(), chat("-42"), closed("evt_1", ""), 1, now)
	if out.Err != nil || len(api.sent) != 1 || api.sent[0]["chat_id"] != "-100777" {
		t.Errorf("attempt = %+v, sent %v; want one message to -100777", out, api.sent)
	}
	circular := newBotAPI(t, map[string]botResponse{"sendMessage": moved})
	out = telegram(t, circular.URL, 0).Send(t.Context(), chat("-42"), closed("evt_1", ""), 1, now)
	if out.Err == nil || len(circular.calls) != 2 {
		t.Errorf("attempt = %+v after calls %v, want an error after two", out, circular.calls)
	}
}

func TestInvalidEndpointsMakeNoRequest(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	for name, change := range map[string]func(*persistence.Endpoint){
		"no secret":       func(e *persistence.Endpoint) { e.Sealed = nil },
		"of another":      func(e *persistence.Endpoint) { e.ID = "end_2" },
		"no token":        func(e *persistence.Endpoint) { e.Sealed = sealed("canary") },
		"path in a token": func(e *persistence.Endpoint) { e.Sealed = sealed(token + "/../x?") },
		"line in a token": func(e *persistence.Endpoint) { e.Sealed = sealed(token + "\r\n") },
		"no target":       func(e *persistence.Endpoint) { e.Target = "" },
		"two targets":     func(e *persistence.Endpoint) { e.Target = "42,43" },
	} {
		to := chat("42")
		change(&to)
		out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now)
		if out.Err == nil || out.Gone != "" {
			t.Errorf("%s: attempt = %+v, want an error", name, out)
		}
		if err := s.Check(t.Context(), to); err == nil {
			t.Errorf("%s: check: no error, want one", name)
		}
		checkNoToken(t, out)
	}
	if len(api.calls) != 0 {
		t.Errorf("calls = %v, want none", api.calls)
	}
}

func TestNextTokenIsUsedFromItsTime(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	to := chat("42")
	to.Sealed, to.Next, to.NextFrom = sealed("999999:"+strings.Repeat("x", 35)), sealed(token), venues.At(now)
	if out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now.Add(-time.Second)); out.Gone == "" {
		t.Errorf("attempt before NextFrom = %+v, want gone", out)
	}
	if out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now); out.Err != nil {
		t.Errorf("attempt at NextFrom = %+v, want no error", out)
	}
}

func TestHostileBotAPIIsUnreachable(t *testing.T) {
	for name, script := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := hostiletest.Serve(t, script)
			s := telegram(t, url, 300*time.Millisecond)
			began := time.Now()
			out := s.Send(t.Context(), chat("42"), closed("evt_1", ""), 1, began)
			if !errors.Is(out.Err, notify.ErrUnreachable) || out.Gone != "" || len(out.Answer) > persistence.AttemptAnswerBytesMax {
				t.Errorf("attempt = %+v, want ErrUnreachable", out)
			}
			if err := s.Check(t.Context(), chat("42")); !errors.Is(err, notify.ErrUnreachable) {
				t.Errorf("check: error %v, want ErrUnreachable", err)
			}
			if took := time.Since(began); took > waitMax {
				t.Errorf("took %v, want at most %v", took, waitMax)
			}
			checkNoToken(t, out)
		})
	}
}

func TestErrorOfAnUnreachableBotAPIHasNoToken(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:1", "https://127.0.0.1:1", "http://nowhere.invalid"} {
		out := telegram(t, url, time.Second).Send(t.Context(), chat("42"), closed("evt_1", ""), 1, now)
		if !errors.Is(out.Err, notify.ErrUnreachable) {
			t.Errorf("attempt = %+v, want ErrUnreachable", out)
		}
		checkNoToken(t, out)
	}
	for _, url := range []string{"ftp://x", "x", "http://", "http://a:b@c", "http://a?b", "%"} {
		if _, err := notify.NewTelegram(notify.TelegramOptions{URL: url}); err == nil {
			t.Errorf("NewTelegram with URL %q: no error, want one", url)
		}
	}
}

func TestCheckNamesWhatTheChatLacks(t *testing.T) {
	group := botResponse{200, `{"ok":true,"result":{"id":-42,"type":"supergroup","title":"x"}}`}
	channel := botResponse{200, `{"ok":true,"result":{"id":-42,"type":"channel"}}`}
	as := func(status string) botResponse {
		return botResponse{200, `{"ok":true,"result":{"status":"` + status + `","user":{"id":123456}}}`}
	}
	reject := func(code int) botResponse {
		return botResponse{code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":"x"}`, code)}
	}
	for _, c := range []struct {
		name      string
		responses map[string]botResponse
		field     string
		text      string
	}{
		{"private", nil, "", ""},
		{"administrator", map[string]botResponse{"getChat": group}, "", ""},
		{"owner", map[string]botResponse{"getChat": group, "getChatMember": as("creator")}, "", ""},
		{"channel", map[string]botResponse{"getChat": channel}, "", ""},
		{"bad token", map[string]botResponse{"getMe": reject(401)}, "secret", "not valid"},
		{"no token", map[string]botResponse{"getMe": reject(404)}, "secret", "not valid"},
		{"chat unknown", map[string]botResponse{"getChat": reject(400)}, "target", "does not know this chat"},
		{"blocked in a group", map[string]botResponse{"getChat": reject(403)}, "target", "blocked in this chat"},
		{"blocked", map[string]botResponse{"sendChatAction": reject(403)}, "target", "blocked"},
		{"member", map[string]botResponse{"getChat": group, "getChatMember": as("member")}, "target", "must be an administrator of this group"},
		{"restricted", map[string]botResponse{"getChat": group, "getChatMember": as("restricted")}, "target", "must be an administrator of this group"},
		{"left", map[string]botResponse{"getChat": group, "getChatMember": as("left")}, "target", "not in this group"},
		{"kicked", map[string]botResponse{"getChat": group, "getChatMember": as("kicked")}, "target", "not in this group"},
		{"no member", map[string]botResponse{"getChat": group, "getChatMember": reject(400)}, "target", "not in this group"},
		{"may not post", map[string]botResponse{"getChat": channel, "getChatMember": as("administrator")}, "target", "right to post"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newBotAPI(t, c.responses)
			err := telegram(t, api.URL, 0).Check(t.Context(), chat("-42"))
			if (c.field == "" && err != nil) || (c.field != "" && !isFieldError(err, c.field, c.text)) {
				t.Errorf("error = %v, want one of field %q with %q", err, c.field, c.text)
			}
			for _, call := range api.calls {
				if call == "sendMessage" {
					t.Error("check sent a message, want none")
				}
			}
		})
	}
	for _, method := range []string{"getMe", "getChat", "getChatMember"} {
		api := newBotAPI(t, map[string]botResponse{"getChat": group, method: {502, "<html>"}})
		if err := telegram(t, api.URL, 0).Check(t.Context(), chat("-42")); !errors.Is(err, notify.ErrUnreachable) {
			t.Errorf("%s: error %v, want ErrUnreachable", method, err)
		}
	}
}

func TestCheckTargetRejectsOtherForms(t *testing.T) {
	for kind, list := range map[persistence.EndpointKind]map[string]bool{
		persistence.EndpointTelegram: {"42": true, "-1001234567890": true, "@name": true, "0": false, "": false, "name": false, "@": false, "42\n": false, "4 2": false, "@a/b": false},
		persistence.EndpointSheet:    {"1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms": true, "": false, "short": false, "https://docs.google.com/spreadsheets/d/1Bxi/edit": false, "1BxiMVs0XRA5/../x": false},
		persistence.EndpointFile:     {"trades.xlsx": true, "a-b_c.1.xlsx": true, "": false, "trades": false, ".xlsx": false, "../trades.xlsx": false, "a/b.xlsx": false, "a\\b.xlsx": false, ".a.xlsx": false, "a (2).xlsx": false, "a.xlsx\x00": false},
		persistence.EndpointWebhook:  {"https://example.com": false},
	} {
		for target, valid := range list {
			if err := notify.CheckTarget(kind, target); valid != (err == nil) || (err != nil && venues.CodeOf(err) != venues.CodeInvalidRequest) {
				t.Errorf("CheckTarget(%s, %q) = %v, want valid %v", kind, target, err, valid)
			}
		}
	}
}

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

// botAPI answers as the Bot API does.
type botAPI struct {
	*httptest.Server
	mu sync.Mutex
	// answers by method, or "method chat", in place of the usual ones.
	answers map[string]botAnswer
	calls   []string
	sent    []map[string]string
}

type botAnswer struct {
	status int
	body   string
}

func newBotAPI(t *testing.T, answers map[string]botAnswer) *botAPI {
	t.Helper()
	api := &botAPI{answers: answers}
	api.Server = httptest.NewServer(http.HandlerFunc(api.serve))
	t.Cleanup(api.Close)
	return api
}

var usualAnswers = map[string]string{
	"getMe":          `{"ok":true,"result":{"id":123456,"is_bot":true,"first_name":"b"}}`,
	"getChat":        `{"ok":true,"result":{"id":42,"type":"private"}}`,
	"getChatMember":  `{"ok":true,"result":{"status":"administrator","user":{"id":123456},"can_post_messages":true}}`,
	"sendChatAction": `{"ok":true,"result":true}`,
	"sendMessage":    `{"ok":true,"result":{"message_id":1,"date":1,"chat":{"id":42,"type":"private"},"text":"x"}}`,
}

func (a *botAPI) serve(w http.ResponseWriter, in *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	method, ours := strings.CutPrefix(in.URL.Path, "/bot"+token+"/")
	if !ours || in.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":404,"description":"Not Found"}`)
		return
	}
	in.Body = http.MaxBytesReader(w, in.Body, 1<<20)
	_ = in.ParseMultipartForm(1 << 20) //nolint:gosec // bounded above; getMe has no form
	a.calls = append(a.calls, method)
	form := map[string]string{}
	if in.MultipartForm != nil {
		for name, values := range in.MultipartForm.Value {
			form[name] = values[0]
		}
	}
	answer, special := a.answers[method+" "+form["chat_id"]]
	if !special {
		answer, special = a.answers[method]
	}
	if !special {
		answer = botAnswer{200, usualAnswers[method]}
	}
	if method == "sendMessage" && answer.status == http.StatusOK {
		a.sent = append(a.sent, form)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "http://127.0.0.1:1/")
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.body)
}

func telegram(t *testing.T, url string, timeout time.Duration) *notify.Telegram {
	t.Helper()
	s, err := notify.NewTelegram(notify.TelegramOptions{URL: url, Unseal: unsealed, UserAgent: "venuegate/test", Timeout: cmp.Or(timeout, patience)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func chat(target string) persistence.Endpoint {
	return persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointTelegram, Target: target, Sealed: sealed(token)}
}

// tellsNoToken looks into everything that leaves the package.
func tellsNoToken(t *testing.T, out persistence.Attempt) {
	t.Helper()
	if text := fmt.Sprintf("%v %s %s", out.Err, out.Answer, out.Gone); strings.Contains(text, "canary") || strings.Contains(text, "CANARY") {
		t.Errorf("tells the token: %s", text)
	}
}

func TestMessageReachesTheChat(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL+"/", 0)
	for _, target := range []string{"42", "-1001234567890", "@channel_name"} {
		out := s.Send(t.Context(), chat(target), closed("evt_1", "by hand"), 1, now)
		if out.Err != nil || out.Code != 200 || string(out.Answer) != usualAnswers["sendMessage"] || out.Gone != "" {
			t.Fatalf("%+v", out)
		}
		got := api.sent[len(api.sent)-1]
		want := map[string]string{
			"chat_id": target, "link_preview_options": `{"is_disabled":true}`,
			"text": "Position closed: long 0.5 BTCUSDT on binance\nEntry: 64000.1\nExit: 64100.2\nP&L: 50.05\nFee: -0.000000000000000001\n" +
				"Reason: take profit\nComment: by hand\n2026-01-01T00:00:00.005Z",
		}
		if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
			t.Errorf("sent %s, not %s", a, b)
		}
	}
}

func TestMessages(t *testing.T) {
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
		{persistence.EventOrderPartiallyFilled, part, "Order partly filled: buy 0.5 ETHUSDT on okx\nPrice: 3099\nFilled: 1.5 of 2\nOrder: ord_1"},
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
			t.Errorf("%s: %v, %q", c.kind, out.Err, api.sent)
		}
	}
}

func TestMarkupIsTextInAMessage(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	for i, comment := range payloads() {
		out := s.Send(t.Context(), chat("42"), closed("evt_1", comment), 1, now)
		if out.Err != nil {
			t.Fatalf("%q: %v", comment, out.Err)
		}
		form := api.sent[i]
		looksHarmless(t, form["text"])
		if n := strings.Count(form["text"], "\n"); n > 7 {
			t.Errorf("%q breaks lines: %q", comment, form["text"])
		}
		if len(utf16.Encode([]rune(form["text"]))) > 4096 || form["parse_mode"] != "" || form["entities"] != "" {
			t.Errorf("%q: %v", comment, form)
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
		t.Errorf("%v, %d units", out.Err, len(units))
	}
}

func TestRefusalsOfTheBotAPI(t *testing.T) {
	refusal := func(code int, said, more string) botAnswer {
		text, _ := json.Marshal(said)
		return botAnswer{code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%s%s}`, code, text, more)}
	}
	for _, c := range []struct {
		name   string
		answer botAnswer
		says   string
		gone   bool
		wait   int
	}{
		{"revoked", refusal(401, "Unauthorized", ""), "token", true, 0},
		{"never was", refusal(404, "Not Found", ""), "token", true, 0},
		{"blocked", refusal(403, "Forbidden: bot was blocked by the user", ""), "blocked by the user", true, 0},
		{"kicked", refusal(403, "Forbidden: bot was kicked from the group chat", ""), "kicked", true, 0},
		{"no chat", refusal(400, "Bad Request: chat not found", ""), "chat not found", false, 0},
		{"too fast", refusal(429, "Too Many Requests: retry after 35", `,"parameters":{"retry_after":35}`), "too many", false, 35},
		{"far too fast", refusal(429, "Too Many Requests", `,"parameters":{"retry_after":99999999}`), "too many", false, 7 * 24 * 3600},
		{"too fast, strangely", refusal(429, "Too Many Requests", `,"parameters":{"retry_after":-9}`), "too many", false, 0},
		{"conflict", refusal(409, "Conflict", ""), "Conflict", false, 0},
		{"internal", refusal(500, "Internal Server Error", ""), "answered 500", false, 0},
		{"a proxy", botAnswer{404, "<html>Not Found</html>"}, "answered 404", false, 0},
		{"a proxy's refusal", botAnswer{403, "<html>"}, "answered 403", false, 0},
		{"empty", botAnswer{200, ""}, "answered 200", false, 0},
		{"not ok", botAnswer{200, "{}"}, "answered 200", false, 0},
		{"moved", botAnswer{302, ""}, "answered 302", false, 0},
		{"echo", refusal(400, "no "+token+" \x1b[1m\u202e"+strings.Repeat("x", 9000), ""), "no [redacted]", false, 0},
		{"echo of the key", refusal(403, "123456%3A"+tokenKey, ""), "[redacted]", true, 0},
		{"echo in garbage", botAnswer{500, strings.Repeat("x", persistence.AttemptAnswerBytesMax-10) + token + strings.Repeat("x", 9000)}, "answered 500", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newBotAPI(t, map[string]botAnswer{"sendMessage": c.answer})
			out := telegram(t, api.URL, 0).Send(t.Context(), chat("42"), closed("evt_1", ""), 1, now)
			if out.Err == nil || !strings.Contains(out.Err.Error(), c.says) || len(out.Err.Error()) > 600 {
				t.Errorf("%v", out.Err)
			}
			if out.Code != c.answer.status || (out.Gone != "") != c.gone || out.RetryAfterSec != c.wait || out.Throttled != (c.answer.status == 429) {
				t.Errorf("%+v", out)
			}
			if len(out.Answer) > persistence.AttemptAnswerBytesMax || len(api.calls) != 1 {
				t.Errorf("%d bytes, %v", len(out.Answer), api.calls)
			}
			tellsNoToken(t, out)
		})
	}
}

func TestGroupThatBecameASupergroup(t *testing.T) {
	moved := botAnswer{400, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded","parameters":{"migrate_to_chat_id":-100777}}`}
	api := newBotAPI(t, map[string]botAnswer{"sendMessage -42": moved})
	out := telegram(t, api.URL, 0).Send(t.Context(), chat("-42"), closed("evt_1", ""), 1, now)
	if out.Err != nil || len(api.sent) != 1 || api.sent[0]["chat_id"] != "-100777" {
		t.Errorf("%+v, %v", out, api.sent)
	}
	round := newBotAPI(t, map[string]botAnswer{"sendMessage": moved})
	out = telegram(t, round.URL, 0).Send(t.Context(), chat("-42"), closed("evt_1", ""), 1, now)
	if out.Err == nil || len(round.calls) != 2 {
		t.Errorf("%+v, %v", out, round.calls)
	}
}

func TestBadEndpointsAskNobody(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	for name, change := range map[string]func(*persistence.Endpoint){
		"no secret":       func(e *persistence.Endpoint) { e.Sealed = nil },
		"another's":       func(e *persistence.Endpoint) { e.ID = "end_2" },
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
			t.Errorf("%s: %+v", name, out)
		}
		if err := s.Check(t.Context(), to); err == nil {
			t.Errorf("%s: passes the check", name)
		}
		tellsNoToken(t, out)
	}
	if len(api.calls) != 0 {
		t.Errorf("asked %v", api.calls)
	}
}

func TestRotatedTokenIsUsedFromItsMoment(t *testing.T) {
	api := newBotAPI(t, nil)
	s := telegram(t, api.URL, 0)
	to := chat("42")
	to.Sealed, to.Next, to.NextFrom = sealed("999999:"+strings.Repeat("x", 35)), sealed(token), venues.At(now)
	if out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now.Add(-time.Second)); out.Gone == "" {
		t.Errorf("%+v", out)
	}
	if out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now); out.Err != nil {
		t.Errorf("%+v", out)
	}
}

func TestHostileBotAPI(t *testing.T) {
	for name, script := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := hostiletest.Serve(t, script)
			s := telegram(t, url, 300*time.Millisecond)
			begun := time.Now()
			out := s.Send(t.Context(), chat("42"), closed("evt_1", ""), 1, begun)
			if !errors.Is(out.Err, notify.ErrUnreachable) || out.Gone != "" || len(out.Answer) > persistence.AttemptAnswerBytesMax {
				t.Errorf("%+v", out)
			}
			if err := s.Check(t.Context(), chat("42")); !errors.Is(err, notify.ErrUnreachable) {
				t.Errorf("check: %v", err)
			}
			if took := time.Since(begun); took > patience {
				t.Errorf("took %v", took)
			}
			tellsNoToken(t, out)
		})
	}
}

func TestUnreachableBotAPITellsNoToken(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:1", "https://127.0.0.1:1", "http://nowhere.invalid"} {
		out := telegram(t, url, time.Second).Send(t.Context(), chat("42"), closed("evt_1", ""), 1, now)
		if !errors.Is(out.Err, notify.ErrUnreachable) {
			t.Errorf("%+v", out)
		}
		tellsNoToken(t, out)
	}
	for _, url := range []string{"ftp://x", "x", "http://", "http://a:b@c", "http://a?b", "%"} {
		if _, err := notify.NewTelegram(notify.TelegramOptions{URL: url}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}

func TestTelegramCheck(t *testing.T) {
	group := botAnswer{200, `{"ok":true,"result":{"id":-42,"type":"supergroup","title":"x"}}`}
	channel := botAnswer{200, `{"ok":true,"result":{"id":-42,"type":"channel"}}`}
	as := func(status string) botAnswer {
		return botAnswer{200, `{"ok":true,"result":{"status":"` + status + `","user":{"id":123456}}}`}
	}
	refused := func(code int) botAnswer {
		return botAnswer{code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":"x"}`, code)}
	}
	for _, c := range []struct {
		name    string
		answers map[string]botAnswer
		field   string
		says    string
	}{
		{"private", nil, "", ""},
		{"administrator", map[string]botAnswer{"getChat": group}, "", ""},
		{"owner", map[string]botAnswer{"getChat": group, "getChatMember": as("creator")}, "", ""},
		{"channel", map[string]botAnswer{"getChat": channel}, "", ""},
		{"bad token", map[string]botAnswer{"getMe": refused(401)}, "secret", "not valid"},
		{"no token", map[string]botAnswer{"getMe": refused(404)}, "secret", "not valid"},
		{"chat unknown", map[string]botAnswer{"getChat": refused(400)}, "target", "does not know this chat"},
		{"shut out", map[string]botAnswer{"getChat": refused(403)}, "target", "shut out"},
		{"blocked", map[string]botAnswer{"sendChatAction": refused(403)}, "target", "blocked"},
		{"member", map[string]botAnswer{"getChat": group, "getChatMember": as("member")}, "target", "must be an administrator of this group"},
		{"restricted", map[string]botAnswer{"getChat": group, "getChatMember": as("restricted")}, "target", "must be an administrator of this group"},
		{"left", map[string]botAnswer{"getChat": group, "getChatMember": as("left")}, "target", "not in this group"},
		{"kicked", map[string]botAnswer{"getChat": group, "getChatMember": as("kicked")}, "target", "not in this group"},
		{"no member", map[string]botAnswer{"getChat": group, "getChatMember": refused(400)}, "target", "not in this group"},
		{"may not post", map[string]botAnswer{"getChat": channel, "getChatMember": as("administrator")}, "target", "right to post"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newBotAPI(t, c.answers)
			err := telegram(t, api.URL, 0).Check(t.Context(), chat("-42"))
			if (c.field == "" && err != nil) || (c.field != "" && !faultIn(err, c.field, c.says)) {
				t.Errorf("%v", err)
			}
			for _, call := range api.calls {
				if call == "sendMessage" {
					t.Error("sent a message")
				}
			}
		})
	}
	for _, method := range []string{"getMe", "getChat", "getChatMember"} {
		api := newBotAPI(t, map[string]botAnswer{"getChat": group, method: {502, "<html>"}})
		if err := telegram(t, api.URL, 0).Check(t.Context(), chat("-42")); !errors.Is(err, notify.ErrUnreachable) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestTargets(t *testing.T) {
	for kind, list := range map[persistence.EndpointKind]map[string]bool{
		persistence.EndpointTelegram: {"42": true, "-1001234567890": true, "@name": true, "0": false, "": false, "name": false, "@": false, "42\n": false, "4 2": false, "@a/b": false},
		persistence.EndpointSheet:    {"1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms": true, "": false, "short": false, "https://docs.google.com/spreadsheets/d/1Bxi/edit": false, "1BxiMVs0XRA5/../x": false},
		persistence.EndpointFile:     {"trades.xlsx": true, "a-b_c.1.xlsx": true, "": false, "trades": false, ".xlsx": false, "../trades.xlsx": false, "a/b.xlsx": false, "a\\b.xlsx": false, ".a.xlsx": false, "a (2).xlsx": false, "a.xlsx\x00": false},
		persistence.EndpointWebhook:  {"https://example.com": false},
	} {
		for target, good := range list {
			if err := notify.CheckTarget(kind, target); good != (err == nil) || (err != nil && venues.CodeOf(err) != venues.CodeInvalidRequest) {
				t.Errorf("%s %q: %v", kind, target, err)
			}
		}
	}
}

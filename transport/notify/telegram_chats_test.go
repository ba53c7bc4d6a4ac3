package notify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/transport/hostiletest"
	"venuegate/transport/notify"
	"venuegate/venues"
)

// updatesOf returns a response of getUpdates.
func updatesOf(updates ...string) botResponse {
	for i := range updates {
		updates[i] = fmt.Sprintf(`{"update_id":%d,%s}`, i+1, updates[i])
	}
	return botResponse{200, `{"ok":true,"result":[` + strings.Join(updates, ",") + `]}`}
}

func TestChatsThatWroteToTheBot(t *testing.T) {
	member := botResponse{200, `{"ok":true,"result":{"status":"member","user":{"id":123456}}}`}
	api := newBotAPI(t, map[string]botResponse{
		"getMe": {200, `{"ok":true,"result":{"id":123456,"is_bot":true,"first_name":"Desk","username":"desk_bot"}}`},
		"getUpdates": updatesOf(
			`"message":{"chat":{"id":-7,"type":"group","title":"old"},"migrate_to_chat_id":-1007}`,
			`"message":{"chat":{"id":-1007,"type":"supergroup","title":"Traders\u202e\nof the desk"}}`,
			`"my_chat_member":{"chat":{"id":-1008,"type":"channel","title":"News"}}`,
			`"message":{"chat":{"id":42,"type":"private","first_name":"Ann","last_name":"Lee"},"text":"secret plan"}`,
			`"poll":{"id":"1"}`,
			`"edited_message":{"chat":{"id":-1007,"type":"supergroup","title":"Traders\u202e\nof the desk"}}`,
		),
		"getChatMember -1007": member,
	})
	bot, err := telegram(t, api.URL, 0).Chats(t.Context(), token)
	got := fmt.Sprintf("%+v", bot)
	want := "{Name:Desk Username:desk_bot Items:[" +
		"{Target:-1007 Kind:group Title:Traders of the desk Missing:the bot must be an administrator of this group; it is only a member} " +
		"{Target:42 Kind:private Title:Ann Lee Missing:} {Target:-1008 Kind:channel Title:News Missing:}] NotListed:}"
	if err != nil || got != want {
		t.Errorf("chats = %s, %v, want %s", got, err, want)
	}
	if calls := strings.Join(api.calls, " "); calls != "getMe getUpdates getChatMember getChatMember" {
		t.Errorf("calls = %s, want one of getUpdates and two of getChatMember", calls)
	}
}

// Reading the chats of a bot confirms no update, unless there are more than a page.
func TestChatsAreThoseOfTheNewestUpdates(t *testing.T) {
	var updates []string
	for i := range 100 {
		updates = append(updates, fmt.Sprintf(`"message":{"chat":{"id":%d,"type":"private","first_name":"n"}}`, i+1))
	}
	api := newBotAPI(t, map[string]botResponse{"getUpdates": updatesOf(updates...)})
	bot, err := telegram(t, api.URL, 0).Chats(t.Context(), token)
	if err != nil || len(bot.Items) != 20 || bot.Items[0].Target != "100" {
		t.Errorf("chats = %+v, %v, want the newest 20", bot, err)
	}
	if want := []string{`{"limit":100,"offset":0,"timeout":0}`, `{"limit":100,"offset":-100,"timeout":0}`}; strings.Join(api.bodies, " ") != strings.Join(want, " ") {
		t.Errorf("requests = %q, want %q", api.bodies, want)
	}
}

func TestChatsNamesWhatIsWrong(t *testing.T) {
	reject := func(code int, message string) botResponse {
		return botResponse{code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q}`, code, message)}
	}
	for _, c := range []struct {
		name      string
		responses map[string]botResponse
		secret    venues.Secret
		text      string
		field     bool
	}{
		{"revoked", map[string]botResponse{"getMe": reject(401, "Unauthorized")}, token, "not valid", true},
		{"never existed", map[string]botResponse{"getMe": reject(404, "Not Found")}, token, "not valid", true},
		{"another form", nil, "canary/../x", "not the token of a bot", true},
		{"down", map[string]botResponse{"getMe": {502, "<html>"}}, token, "status 502", false},
		{"too fast", map[string]botResponse{"getUpdates": reject(429, "Too Many Requests")}, token, "status 429", false},
		{"other types", map[string]botResponse{"getUpdates": {200, `{"ok":true,"result":{}}`}}, token, "status 200", false},
		{"group unreadable", map[string]botResponse{"getUpdates": updatesOf(`"message":{"chat":{"id":-1,"type":"group"}}`), "getChatMember": {500, ""}}, token, "status 500", false},
	} {
		api := newBotAPI(t, c.responses)
		_, err := telegram(t, api.URL, 0).Chats(t.Context(), c.secret)
		if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: error = %v, want one with %q and without the token", c.name, err, c.text)
		}
		if c.field != isFieldError(err, "secret", c.text) || !c.field != errors.Is(err, notify.ErrUnreachable) {
			t.Errorf("%s: error = %v, want one of the secret %v, else ErrUnreachable", c.name, err, c.field)
		}
	}
	api := newBotAPI(t, map[string]botResponse{"getUpdates": reject(409, "Conflict: can't use getUpdates method while webhook is active "+token)})
	bot, err := telegram(t, api.URL, 0).Chats(t.Context(), token)
	if err != nil || len(bot.Items) != 0 || !strings.Contains(bot.NotListed, "webhook is active [redacted]") {
		t.Errorf("bot with a webhook = %+v, %v, want the reason", bot, err)
	}
}

func TestHostileBotAPIListsNoChats(t *testing.T) {
	for name, script := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := hostiletest.Serve(t, script)
			began := time.Now()
			_, err := telegram(t, url, 300*time.Millisecond).Chats(t.Context(), token)
			if !errors.Is(err, notify.ErrUnreachable) || strings.Contains(err.Error(), "canary") {
				t.Errorf("error = %v, want ErrUnreachable without the token", err)
			}
			if took := time.Since(began); took > waitMax {
				t.Errorf("took %v, want at most %v", took, waitMax)
			}
		})
	}
}

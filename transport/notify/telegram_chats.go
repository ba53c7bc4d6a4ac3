package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"venuegate/transport/registry"
	"venuegate/venues"
)

const (
	// updatesMax is the largest page of messages that a bot has received ("getUpdates").
	updatesMax = 100
	// chatsMax bounds the listed chats. Each group takes one request.
	chatsMax      = 20
	titleRunesMax = 100
)

// Chats returns the bot of a token, and the chats from which it has received a message
// within the last day, newest first. An error is invalid_request for the secret, or
// ErrUnreachable. The messages stay unread for other programs, except that the Bot API
// drops those before the newest updatesMax.
func (t *Telegram) Chats(ctx context.Context, token venues.Secret) (registry.Bot, error) {
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	b, err := t.bot(token)
	if err != nil {
		return registry.Bot{}, malformedToken(err)
	}
	ctx, recorded := withRecorder(ctx)
	me, err := b.me(ctx, recorded)
	if err != nil {
		return registry.Bot{}, err
	}
	found := registry.Bot{Username: short(me.Username), Name: title(me.FirstName, me.LastName), Items: []registry.Chat{}}
	updates, err := t.updates(ctx, token)
	if errors.Is(err, bot.ErrorConflict) {
		found.NotListed = b.publicError(ctx, recorded, err).Error()
		return found, nil
	}
	if err != nil {
		return registry.Bot{}, b.publicError(ctx, recorded, err)
	}
	for _, chat := range chatsOf(updates) {
		item, err := b.chat(ctx, recorded, chat, me.ID)
		if err != nil {
			return registry.Bot{}, err
		}
		found.Items = append(found.Items, item)
	}
	return found, nil
}

// chat returns a chat with what the bot lacks there.
func (b botCall) chat(ctx context.Context, recorded *recorder, chat models.Chat, me int64) (registry.Chat, error) {
	item := registry.Chat{Target: strconv.FormatInt(chat.ID, 10), Kind: registry.ChatPrivate, Title: title(chat.FirstName, chat.LastName, chat.Title)}
	if chat.Type == models.ChatTypePrivate {
		return item, nil
	}
	item.Kind = registry.ChatKind(place(chat.Type))
	var err error
	item.Missing, err = b.missing(ctx, recorded, item.Target, me, chat.Type)
	return item, err
}

func title(parts ...string) string { return cut(clean(strings.Join(parts, " ")), titleRunesMax) }

// chatMessage has the members of a message, or of a change of the bot's membership.
type chatMessage struct {
	Chat            models.Chat `json:"chat"`
	MigrateToChatID int64       `json:"migrate_to_chat_id"`
}

// update is something that a bot has received. One of its members is set, or none.
type update struct {
	Message      *chatMessage `json:"message"`
	Edited       *chatMessage `json:"edited_message"`
	Post         *chatMessage `json:"channel_post"`
	EditedPost   *chatMessage `json:"edited_channel_post"`
	MyChatMember *chatMessage `json:"my_chat_member"`
}

// chatsOf returns the chats of updates, those with the newest update first. A group that
// has become a supergroup is not one of them: the supergroup has updates of its own.
func chatsOf(updates []update) []models.Chat {
	var chats []models.Chat
	seen := map[int64]bool{}
	for i := len(updates) - 1; i >= 0; i-- {
		u := updates[i]
		for _, m := range []*chatMessage{u.Message, u.Edited, u.Post, u.EditedPost, u.MyChatMember} {
			if m == nil || m.Chat.ID == 0 || seen[m.Chat.ID] {
				continue
			}
			seen[m.Chat.ID] = true
			if m.MigrateToChatID == 0 && len(chats) < chatsMax {
				chats = append(chats, m.Chat)
			}
		}
	}
	return chats
}

// updates returns the newest updates of a bot, oldest first. The first request confirms
// none. Only if there are more than a page, the second one drops those before the last
// page: there is no other way to read that.
func (t *Telegram) updates(ctx context.Context, token venues.Secret) ([]update, error) {
	page, err := t.updatesFrom(ctx, token, 0)
	if err == nil && len(page) >= updatesMax {
		page, err = t.updatesFrom(ctx, token, -updatesMax)
	}
	return page, err
}

// updatesFrom returns a page of updates from an offset on; a negative one counts from the
// end. The library has this request only as part of its own polling, which confirms.
func (t *Telegram) updatesFrom(ctx context.Context, token venues.Secret, offset int) ([]update, error) {
	body := fmt.Appendf(nil, `{"limit":%d,"offset":%d,"timeout":0}`, updatesMax, offset)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.options.URL+"/bot"+token.Reveal()+"/getUpdates", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := t.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		OK          bool     `json:"ok"`
		ErrorCode   int      `json:"error_code"`
		Description string   `json:"description"`
		Result      []update `json:"result"`
	}
	switch err := json.NewDecoder(response.Body).Decode(&answer); {
	case err != nil:
		return nil, err
	case answer.ErrorCode == http.StatusConflict:
		return nil, fmt.Errorf("%w, %s", bot.ErrorConflict, answer.Description)
	case !answer.OK:
		return nil, fmt.Errorf("status %d", answer.ErrorCode)
	}
	return answer.Result, nil
}

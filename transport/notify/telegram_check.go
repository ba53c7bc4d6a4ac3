package notify

import (
	"context"
	"errors"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"venuegate/persistence"
	"venuegate/transport/api"
)

// Check returns nil if messages reach the endpoint's chat, invalid_request for the
// member at fault, or ErrUnreachable if the result is not known. It sends no message.
func (t *Telegram) Check(ctx context.Context, to persistence.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	if err := CheckTarget(persistence.EndpointTelegram, to.Target); err != nil {
		return err
	}
	b, err := t.open(to, time.Now())
	if err != nil {
		return malformedToken(err)
	}
	return b.check(ctx, to.Target)
}

// malformedToken returns invalid_request for errBadToken, and other errors unchanged.
func malformedToken(err error) error {
	if errors.Is(err, errBadToken) {
		return fieldError(fieldSecret, api.RuleMalformed, err.Error())
	}
	return err
}

// me returns the user that the bot is.
func (b botCall) me(ctx context.Context, recorded *recorder) (*models.User, error) {
	me, err := b.GetMe(ctx)
	if isTokenRejected(err) {
		return nil, unusable(fieldSecret, "the token of the bot is not valid")
	}
	if err != nil {
		return nil, b.publicError(ctx, recorded, err)
	}
	return me, nil
}

func (b botCall) check(ctx context.Context, target string) error {
	ctx, recorded := withRecorder(ctx)
	me, err := b.me(ctx, recorded)
	if err != nil {
		return err
	}
	chat, err := b.GetChat(ctx, &bot.GetChatParams{ChatID: target})
	switch {
	case errors.Is(err, bot.ErrorBadRequest):
		return unusable(fieldTarget, "the bot does not know this chat: in a private chat write to the bot first, to a group add it")
	case errors.Is(err, bot.ErrorForbidden):
		return unusable(fieldTarget, "the bot is blocked in this chat")
	case err != nil:
		return b.publicError(ctx, recorded, err)
	case chat.Type == models.ChatTypePrivate:
		return b.checkPrivate(ctx, recorded, target)
	default:
		return b.checkGroup(ctx, recorded, target, me.ID, chat.Type)
	}
}

// checkPrivate sends the "typing" action, which fails if the bot is blocked and which
// leaves no message.
func (b botCall) checkPrivate(ctx context.Context, recorded *recorder, target string) error {
	_, err := b.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: target, Action: models.ChatActionTyping})
	switch {
	case errors.Is(err, bot.ErrorForbidden):
		return unusable(fieldTarget, "the bot is blocked in this chat, or has received no message there")
	case err != nil:
		return b.publicError(ctx, recorded, err)
	default:
		return nil
	}
}

func (b botCall) checkGroup(ctx context.Context, recorded *recorder, target string, me int64, kind models.ChatType) error {
	missing, err := b.missing(ctx, recorded, target, me, kind)
	if err == nil && missing != "" {
		err = unusable(fieldTarget, missing)
	}
	return err
}

// missing returns what the bot lacks to send messages to a group or channel, or "".
func (b botCall) missing(ctx context.Context, recorded *recorder, target string, me int64, kind models.ChatType) (string, error) {
	member, err := b.GetChatMember(ctx, &bot.GetChatMemberParams{ChatID: target, UserID: me})
	switch {
	case errors.Is(err, bot.ErrorBadRequest), errors.Is(err, bot.ErrorForbidden):
		return "the bot is not in this " + place(kind), nil
	case err != nil:
		return "", b.publicError(ctx, recorded, err)
	}
	switch member.Type {
	case models.ChatMemberTypeOwner:
		return "", nil
	case models.ChatMemberTypeAdministrator:
		if kind == models.ChatTypeChannel && !member.Administrator.CanPostMessages {
			return "the bot is an administrator of this channel without the right to post messages", nil
		}
		return "", nil
	case models.ChatMemberTypeLeft, models.ChatMemberTypeBanned:
		return "the bot is not in this " + place(kind), nil
	default:
		return "the bot must be an administrator of this " + place(kind) + "; it is only a member", nil
	}
}

func place(kind models.ChatType) string {
	if kind == models.ChatTypeChannel {
		return "channel"
	}
	return "group"
}

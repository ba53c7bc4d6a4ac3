package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/transport/signing"
)

// hookSignal trades nothing.
const hookSignal = `{"action":"notify","comment":"load"}`

// hooks sends signed signals to channels in turn.
type hooks struct {
	run      *run
	channels []signedChannel
	headers  signing.Headers
	signal   map[string]any
}

// signedChannel is a channel with what its requests need.
type signedChannel struct {
	path string
	key  *signing.Key
}

func openHooks(_ context.Context, r *run) (sender, error) {
	s := &hooks{run: r, headers: signing.NewHeaders(r.HeaderPrefix)}
	for _, c := range r.Channels {
		address, err := url.Parse(c.URL)
		if err != nil {
			return nil, fmt.Errorf("address of a channel: %w", err)
		}
		s.channels = append(s.channels, signedChannel{address.Path, signing.NewKey(c.Secret)})
	}
	if len(s.channels) == 0 {
		return nil, errors.New("the address of a channel and its secret are required")
	}
	text := r.Signal
	if text == "" {
		text = hookSignal
	}
	if err := json.Unmarshal([]byte(text), &s.signal); err != nil || s.signal == nil {
		return nil, fmt.Errorf("the signal is not a JSON object: %s", text)
	}
	return s, nil
}

func (s *hooks) send(ctx context.Context, _ int, q request) {
	channel := &s.channels[q.n%len(s.channels)]
	signal := maps.Clone(s.signal)
	signal["requestId"] = fmt.Sprintf("load-%s-%d", s.run.id, q.n)
	body, err := json.Marshal(signal)
	if err == nil {
		signature, timestamp := channel.key.Sign(time.Now().Unix(), body)
		_, err = s.run.service.call(ctx, func(h *fasthttp.RequestHeader) {
			h.Set(s.headers.Signature, signature)
			h.Set(s.headers.Timestamp, timestamp)
		}, http.MethodPost, channel.path, body)
	}
	s.run.done("signal", q.due, err)
}

func (s *hooks) close(context.Context) error { return nil }

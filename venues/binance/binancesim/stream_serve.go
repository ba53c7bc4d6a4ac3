package binancesim

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore/simnet"
)

// Categories of streams: one connection carries one of them.
const (
	categoryPublic  = "public"
	categoryMarket  = "market"
	categoryPrivate = "private"
)

// client is one stream connection.
type client struct {
	session  *simnet.Session
	category string
	// combined wraps each message with the name of its stream.
	combined bool
	// streams are the subscribed names, guarded by the lock of streams or users.
	streams map[string]bool
	// events are the requested kinds of user events; empty for all.
	events map[string]bool
}

// serveStream upgrades a request on one of the stream paths.
func (s *Sim) serveStream(c *fiber.Ctx) error {
	in := &call{sim: s, method: c.Method(), path: c.Path(), ip: c.IP(), now: s.Clock.Now()}
	if in.failed = s.limiter.connect(in.ip, in.now); in.failed != nil {
		return in.Respond(c)
	}
	category, rest, _ := strings.Cut(strings.TrimPrefix(c.Path(), "/"), "/")
	form, names, _ := strings.Cut(rest, "/")
	cl := &client{category: category, combined: form == "stream", streams: map[string]bool{}}
	initial := initialStreams(c, names)
	if list := c.Query("events"); list != "" {
		cl.events = map[string]bool{}
		for event := range strings.SplitSeq(list, "/") {
			cl.events[event] = true
		}
	}
	return s.Upgrade(c, s.sessionOptions(), simnet.SessionHandler{
		Opened: func(session *simnet.Session) {
			cl.session = session
			s.subscribe(cl, initial)
		},
		Received: func(_ *simnet.Session, data []byte) { s.command(cl, data) },
		Ended: func(*simnet.Session) {
			s.streams.removeClient(cl)
			s.users.removeClient(cl)
		},
	})
}

func (s *Sim) sessionOptions() simnet.SessionOptions {
	return simnet.SessionOptions{
		PingInterval: s.options.PingInterval, LifetimeMax: s.options.SessionLifeMax,
		SilenceMax: sessionSilenceMax, MessagesPerSecondMax: streamMessagesPerSec,
	}
}

// initialStreams returns the names that the URL subscribes to.
func initialStreams(c *fiber.Ctx, path string) []string {
	var names []string
	for _, list := range []string{path, c.Query("streams"), c.Query("listenKey")} {
		if text, err := url.PathUnescape(list); err == nil && text != "" {
			names = append(names, strings.Split(text, "/")...)
		}
	}
	return names
}

// subscribe adds streams of the client's own category; others deliver nothing.
func (s *Sim) subscribe(cl *client, names []string) {
	if cl.category == categoryPrivate {
		s.users.subscribe(cl, names)
		return
	}
	s.streams.subscribe(cl, names)
}

func (s *Sim) unsubscribe(cl *client, names []string) {
	if cl.category == categoryPrivate {
		s.users.unsubscribe(cl, names)
		return
	}
	s.streams.unsubscribe(cl, names)
}

// commandBody is a message of the client.
type commandBody struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	ID     *uint64         `json:"id"`
}

type resultBody struct {
	Result any    `json:"result"`
	ID     uint64 `json:"id"`
}

// commandTopic is the topic under which faults match answers to commands.
const commandTopic = "command"

func (s *Sim) command(cl *client, data []byte) {
	in, names, failed := decodeCommand(data)
	if failed != nil {
		cl.sendJSON(failed)
		return
	}
	switch in.Method {
	case "SUBSCRIBE":
		cl.answer(*in.ID, nil)
		s.subscribe(cl, names)
	case "UNSUBSCRIBE":
		cl.answer(*in.ID, nil)
		s.unsubscribe(cl, names)
	case "LIST_SUBSCRIPTIONS":
		cl.answer(*in.ID, s.streams.names(cl))
	case "SET_PROPERTY":
		cl.answer(*in.ID, nil)
	case "GET_PROPERTY":
		cl.answer(*in.ID, cl.combined)
	}
}

var commandMethods = map[string]bool{
	"SUBSCRIBE": true, "UNSUBSCRIBE": true, "LIST_SUBSCRIPTIONS": true, "SET_PROPERTY": true, "GET_PROPERTY": true,
}

// decodeCommand decodes a message of a client, or returns the error to answer with.
func decodeCommand(data []byte) (in commandBody, names []string, failed *errorBody) {
	invalid := func(why string) *errorBody { return &errorBody{Code: 2, Msg: "Invalid request: " + why} }
	if !json.Valid(data) {
		return in, nil, &errorBody{Code: 3, Msg: "Invalid JSON: expected value"}
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return in, nil, invalid(err.Error())
	}
	if in.ID == nil {
		return in, nil, invalid("request ID must be an unsigned integer")
	}
	if !commandMethods[in.Method] {
		return in, nil, invalid("unknown variant `" + in.Method + "`")
	}
	names, err := in.names()
	if err != nil {
		return in, nil, invalid(err.Error())
	}
	return in, names, nil
}

// names returns the streams of a subscription command.
func (in commandBody) names() ([]string, error) {
	if in.Method != "SUBSCRIBE" && in.Method != "UNSUBSCRIBE" {
		return nil, nil
	}
	var names []string
	err := json.Unmarshal(in.Params, &names)
	if err == nil && len(names) > streamsPerSessionMax {
		err = errors.New("too many streams")
	}
	return names, err
}

func (cl *client) answer(id uint64, result any) {
	cl.sendJSON(resultBody{Result: result, ID: id})
}

func (cl *client) sendJSON(body any) {
	cl.session.Send(commandTopic, simnet.Encode(body))
}

// deliver sends a message of a stream, wrapped where the client is combined. wrapped
// caches the wrapped form.
func (cl *client) deliver(name string, raw []byte, wrapped *[]byte) {
	if !cl.combined {
		cl.session.Send(name, raw)
		return
	}
	if *wrapped == nil {
		*wrapped = wrap(name, raw)
	}
	cl.session.Send(name, *wrapped)
}

// wrap returns the combined form of a message.
func wrap(name string, raw []byte) []byte {
	out := make([]byte, 0, len(raw)+len(name)+24)
	out = append(out, `{"stream":"`...)
	out = append(out, name...)
	out = append(out, `","data":`...)
	out = append(out, raw...)
	return append(out, '}')
}

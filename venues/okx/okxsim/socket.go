package okxsim

import (
	"crypto/hmac"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Sockets of the venue; each has its own channels.
const (
	socketPublic   = "public"
	socketPrivate  = "private"
	socketBusiness = "business"
)

// Close codes of the venue, and of a connection that breaks.
const (
	closeGoingAway   = 1001
	closeAbnormal    = 1006
	closeLoginFailed = 4001
	closeSilence     = 4004
	closeBufferFull  = 4005

	closeTooManyChannels = 4009
)

var closeReasons = map[int]string{
	closeLoginFailed: "Login Failed", closeSilence: "No data received in 30s",
	closeTooManyChannels: "The number of subscription channels for this connection exceeds the limit",
}

// channelArg identifies a channel in requests, acknowledgements and pushes.
type channelArg struct {
	Channel     string `json:"channel"`
	InstType    string `json:"instType,omitempty"`
	InstFamily  string `json:"instFamily,omitempty"`
	InstID      string `json:"instId,omitempty"`
	Ccy         string `json:"ccy,omitempty"`
	ExtraParams string `json:"extraParams,omitempty"`
	UID         string `json:"uid,omitempty"`
}

// client is one stream connection. The hub's lock guards all but session, socket and
// ip.
type client struct {
	session *simnet.Session
	socket  string
	ip      string
	connID  string

	account simcore.AccountInfo
	subs    map[channelArg]*subscription
	// Times by the base clock: of the connection, of the last outgoing message, and
	// of the notice of its end, zero if none was sent.
	openedAt, lastSentAt, noticedAt time.Time
	// closeCode closes the client with the next flush, unless it is zero.
	closeCode int
}

// commandBody is a message of a client.
type commandBody struct {
	ID      string          `json:"id"`
	Op      string          `json:"op"`
	Args    json.RawMessage `json:"args"`
	ExpTime string          `json:"expTime"`

	channels []channelArg
}

// eventBody answers a command.
type eventBody struct {
	ID     string      `json:"id,omitempty"`
	Event  string      `json:"event"`
	Arg    *channelArg `json:"arg,omitempty"`
	Code   string      `json:"code,omitempty"`
	Msg    *string     `json:"msg,omitempty"`
	ConnID string      `json:"connId"`
	// Channel and ConnCount belong to counts of connections.
	Channel   string `json:"channel,omitempty"`
	ConnCount string `json:"connCount,omitempty"`
}

// Topics for faults of messages that belong to no channel.
const (
	topicCommand = "command"
	topicPong    = "pong"
)

// serveSocket upgrades a request on one of the stream paths.
func (s *Sim) serveSocket(c *fiber.Ctx) error {
	if !s.limiter.connect(c.IP(), s.Clock.Now()) {
		return c.SendStatus(fiber.StatusTooManyRequests)
	}
	path := c.Path()
	cl := &client{
		socket: path[strings.LastIndex(path, "/")+1:], ip: strings.Clone(c.IP()), subs: map[channelArg]*subscription{},
	}
	return s.Upgrade(c, simnet.SessionOptions{OverflowCode: closeBufferFull}, simnet.SessionHandler{
		Opened: func(session *simnet.Session) {
			cl.session = session
			s.hub.add(cl)
		},
		Received: func(_ *simnet.Session, data []byte) { s.command(cl, data) },
		Ended:    func(*simnet.Session) { s.hub.remove(cl) },
	})
}

func (s *Sim) command(cl *client, data []byte) {
	if string(data) == "ping" {
		s.hub.send(cl, topicPong, []byte("pong"))
		return
	}
	in, ok := decodeCommand(data)
	if !ok || in.Op == "" {
		s.rejectCommand(cl, in.ID, "60012", "Invalid request: "+string(data[:min(len(data), echoBytesMax)]))
		return
	}
	subscribes := in.Op == "subscribe" || in.Op == "unsubscribe"
	switch isLogin := in.Op == "login"; {
	case (isLogin || subscribes) && !s.limiter.onSocket(cl.connID, s.Clock.Now()):
		s.rejectCommand(cl, in.ID, "60014", "Requests too frequent")
	case isLogin:
		s.login(cl, &in)
	case subscribes:
		s.subscribe(cl, &in)
	default:
		s.operate(cl, &in)
	}
}

// decodeCommand decodes a message of a client, with its channels.
func decodeCommand(data []byte) (in commandBody, ok bool) {
	if json.Unmarshal(data, &in) != nil {
		return in, false
	}
	if in.Op != "subscribe" && in.Op != "unsubscribe" {
		return in, true
	}
	err := json.Unmarshal(in.Args, &in.channels)
	return in, err == nil && len(in.channels) > 0 && len(in.channels) <= subsMax
}

// echoBytesMax bounds how much of a bad request an error repeats.
const echoBytesMax = 512

func (s *Sim) rejectCommand(cl *client, id, code, text string) {
	s.hub.sendJSON(cl, topicCommand, eventBody{ID: id, Event: "error", Code: code, Msg: &text, ConnID: cl.connID})
}

type loginArg struct {
	APIKey     string `json:"apiKey"`
	Passphrase string `json:"passphrase"`
	Timestamp  string `json:"timestamp"`
	Sign       string `json:"sign"`
}

const loginPayload = "GET/users/self/verify"

// login authenticates a client. One that fails gets the error and is closed; one that is
// logged in already gets an error and stays as it is.
func (s *Sim) login(cl *client, in *commandBody) {
	if s.hub.accountOf(cl) != "" {
		s.rejectCommand(cl, in.ID, "60031", "The WebSocket endpoint does not allow multiple or repeated logins.")
		return
	}
	account, code, text := s.checkLogin(in)
	rejection, silent := s.injectedLoginFault(cl)
	switch {
	case silent:
		return
	case rejection != nil:
		code, text = rejection.code, rejection.message
	}
	if code != "" {
		s.rejectCommand(cl, in.ID, code, text)
		s.hub.closeAfterFlush(cl, closeLoginFailed)
		return
	}
	s.hub.identify(cl, account)
	s.hub.sendJSON(cl, topicCommand, eventBody{ID: in.ID, Event: "login", Code: "0", Msg: new(string), ConnID: cl.connID})
}

func (s *Sim) checkLogin(in *commandBody) (account simcore.AccountInfo, code, text string) {
	var args []loginArg
	if json.Unmarshal(in.Args, &args) != nil || len(args) != 1 {
		return account, "60009", "Login failed."
	}
	arg := args[0]
	seconds, err := strconv.ParseInt(arg.Timestamp, 10, 64)
	if err != nil {
		return account, "60004", "Invalid timestamp"
	}
	if s.Clock.Now().Sub(time.Unix(seconds, 0)).Abs() > clockSkewMax+time.Second {
		return account, "60006", "Timestamp request expired"
	}
	account, known := s.Exchange().AccountByKey(arg.APIKey)
	switch {
	case !known:
		return account, "60032", "API key doesn't exist"
	case arg.Passphrase != account.Credentials.Passphrase:
		return account, "60024", "Wrong passphrase"
	case !hmac.Equal([]byte(arg.Sign), []byte(signature(account.Credentials.APISecret, arg.Timestamp+loginPayload))):
		return account, "60007", "Invalid sign"
	}
	return account, "", ""
}

// socketOf returns the socket of a channel, and whether it requires a login.
func socketOf(channel string) (socket string, private bool) {
	switch channel {
	case "books", "books5", "bbo-tbt", "trades", "tickers", "mark-price", "instruments", channelStatus,
		channelLimit, channelFunding, channelIndex, channelInterest:
		return socketPublic, false
	case "orders", "positions", "account", "balance_and_position", "liquidation-warning":
		return socketPrivate, true
	case "orders-algo", "algo-advance":
		return socketBusiness, true
	case "trades-all":
		return socketBusiness, false
	}
	if strings.HasPrefix(channel, candlePrefix) {
		return socketBusiness, false
	}
	return "", false
}

// vipChannels require a fee tier that no simulated account has.
var vipChannels = map[string]bool{"fills": true, "books-l2-tbt": true, "books50-l2-tbt": true}

func (s *Sim) subscribe(cl *client, in *commandBody) {
	for i := range in.channels {
		arg := &in.channels[i]
		if code, text := s.checkChannel(cl, arg); code != "" {
			s.rejectCommand(cl, in.ID, code, text)
			continue
		}
		confirmation := simnet.Encode(eventBody{ID: in.ID, Event: in.Op, Arg: arg, ConnID: cl.connID})
		if in.Op == "subscribe" {
			s.hub.subscribe(cl, *arg, confirmation)
			s.sendTrailing(cl, arg)
		} else {
			s.hub.unsubscribe(cl, *arg, confirmation)
		}
	}
}

// sendTrailing sends the live trailing stops after the subscription to their channel;
// the channel of other stops begins without.
func (s *Sim) sendTrailing(cl *client, arg *channelArg) {
	if arg.Channel != channelAlgoAdvance {
		return
	}
	live := s.algos.list(s.hub.accountOf(cl), func(a *algo) bool {
		return a.state == algoLive && a.arg.OrdType == algoTrailing
	})
	s.hub.sendAlgos(cl, arg, live)
}

func (s *Sim) checkChannel(cl *client, arg *channelArg) (code, text string) {
	socket, private := socketOf(arg.Channel)
	missing := "Wrong URL or channel:" + arg.Channel + ",instId:" + arg.InstID +
		" doesn't exist. Please use the correct URL, channel and parameters referring to API document."
	switch {
	case vipChannels[arg.Channel]:
		return "64003", "Your trading fee tier doesn't meet the requirement to access this channel"
	case socket != cl.socket:
		return "60018", missing
	case private && s.hub.accountOf(cl) == "":
		return errSocketLogIn.code, errSocketLogIn.message
	case private:
		return "", ""
	}
	if arg.Channel == "instruments" || arg.Channel == channelStatus {
		return "", ""
	}
	if _, known := s.listingOf(arg); !known {
		return "60018", missing
	}
	if bar, isCandle := strings.CutPrefix(arg.Channel, candlePrefix); isCandle {
		if _, known := intervalOf(bar); !known || bar == "" {
			return "60018", missing
		}
	}
	return "", ""
}

package bybitsim

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Paths of the sockets.
const (
	pathPublic  = "/v5/public/linear"
	pathPrivate = "/v5/private"
	pathTrade   = "/v5/trade"
	pathStatus  = "/v5/public/misc/status"
)

// socketPaths are the paths of the sockets with their message handlers.
var socketPaths = map[string]func(*Sim, *client, opBody){
	pathPublic: (*Sim).publicOp, pathPrivate: (*Sim).privateOp, pathTrade: (*Sim).tradeOp,
	pathStatus: (*Sim).statusOp,
}

// client is one connection.
type client struct {
	session *simnet.Session
	connID  string
	ip      string
	// account is nil until the client has authenticated.
	account atomic.Pointer[simcore.AccountInfo]
	// topics are the subscribed names, guarded by the lock of streams or users.
	topics map[string]bool
	// requestIDs are the request ids seen on an order entry socket.
	requestIDs map[string]bool
}

func (s *Sim) serveStream(c *fiber.Ctx) error {
	path := c.Path()
	if path == pathTrade && s.options.DemoTrading {
		return c.Status(fiber.StatusNotFound).SendString(errNotFound.raw)
	}
	if banned := s.limiter.connect(c.IP(), s.Clock.Now()); banned != nil {
		return c.Status(banned.status).SendString(banned.raw)
	}
	cl := &client{connID: s.newConnection(), ip: c.IP(), topics: map[string]bool{}}
	options := simnet.SessionOptions{SilenceMax: s.options.SessionSilenceMax}
	if path != pathTrade { // which answers beyond its limit instead
		options.MessagesPerSecondMax = streamMessagesPerSec
	}
	return s.Upgrade(c, options, simnet.SessionHandler{
		Opened: func(session *simnet.Session) { cl.session = session },
		Received: func(_ *simnet.Session, data []byte) {
			in, ok := decodeOp(data)
			if !ok {
				cl.session.Send(commandTopic, append([]byte("Failed to decode incoming data:"), data...))
				return
			}
			socketPaths[path](s, cl, in)
		},
		Ended: func(*simnet.Session) {
			// The users first: they read the client's topics until it is removed.
			s.users.removeClient(cl)
			s.streams.removeClient(cl)
			s.status.set(cl, false)
		},
	})
}

func (s *Sim) newConnection() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
	return "sim" + hex16(uint64(s.firstSeq)) + "-" + strconv.FormatInt(s.connections, 36)
}

// commandTopic is the topic under which faults match answers to commands.
const commandTopic = "command"

// requestID is a client's id of its message: text, or the number that some clients
// send.
type requestID string

func (id *requestID) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(id))
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*id = requestID(number)
	return err
}

// opBody is a message of a client.
type opBody struct {
	ReqID      requestID         `json:"req_id"`
	Op         string            `json:"op"`
	Args       []json.RawMessage `json:"args"`
	TradeReqID string            `json:"reqId"`
	Header     map[string]string `json:"header"`
}

func decodeOp(data []byte) (opBody, bool) {
	var in opBody
	return in, json.Unmarshal(data, &in) == nil
}

// names returns the arguments of a subscription; ok is false where they are
// malformed or too large.
func (in opBody) names() ([]string, bool) {
	names, size := make([]string, 0, len(in.Args)), 0
	for _, arg := range in.Args {
		var name string
		if json.Unmarshal(arg, &name) != nil {
			return nil, false
		}
		names, size = append(names, name), size+len(name)
	}
	return names, size <= topicBytesMax
}

// opReply is the answer of the public socket, and of the private one but for
// pongs.
type opReply struct {
	Success bool      `json:"success"`
	RetMsg  string    `json:"ret_msg"`
	ConnID  string    `json:"conn_id"`
	ReqID   requestID `json:"req_id"`
	Op      string    `json:"op"`
}

func (cl *client) reply(in opBody, message string) {
	cl.sendJSON(opReply{Success: message == "", RetMsg: message, ConnID: cl.connID, ReqID: in.ReqID, Op: in.Op})
}

func (cl *client) pong(in opBody) {
	cl.sendJSON(opReply{Success: true, RetMsg: "pong", ConnID: cl.connID, ReqID: in.ReqID, Op: "ping"})
}

func (cl *client) sendJSON(body any) { cl.session.Send(commandTopic, simnet.Encode(body)) }

func (s *Sim) publicOp(cl *client, in opBody) {
	names, ok := in.names()
	switch {
	case in.Op == "ping":
		cl.pong(in)
	case !ok, len(names) > topicsPerSessionMax:
		cl.reply(in, "error:args size too large")
	case in.Op == "subscribe":
		cl.reply(in, s.streams.subscribe(cl, names))
	case in.Op == "unsubscribe":
		s.streams.unsubscribe(cl, names)
		cl.reply(in, "")
	default:
		cl.reply(in, "error:invalid op")
	}
}

type privatePong struct {
	ReqID  requestID `json:"req_id,omitempty"`
	Op     string    `json:"op"`
	Args   []string  `json:"args"`
	ConnID string    `json:"conn_id"`
}

var privateTopics = map[string]bool{
	topicOrder: true, topicExecution: true, topicFast: true, topicPosition: true, topicWallet: true,
}

func (s *Sim) privateOp(cl *client, in opBody) {
	switch in.Op {
	case "ping":
		cl.sendJSON(privatePong{ReqID: in.ReqID, Op: "pong", Args: []string{millisText(s.Clock.Now())}, ConnID: cl.connID})
	case "auth":
		if failed := s.authSocket(cl, in); failed != nil {
			cl.reply(in, failed.message)
			return
		}
		s.users.listen(cl.account.Load().ID, cl)
		cl.reply(in, "")
	case "subscribe", "unsubscribe":
		cl.reply(in, s.subscribePrivate(cl, in))
	default:
		cl.reply(in, "error:invalid op")
	}
}

// authSocket checks ["key", expires, "signature"].
func (s *Sim) authSocket(cl *client, in opBody) *apiError {
	var key, signature string
	var expires json.Number
	const args = 3
	if len(in.Args) != args || json.Unmarshal(in.Args[0], &key) != nil ||
		json.Unmarshal(in.Args[1], &expires) != nil || json.Unmarshal(in.Args[2], &signature) != nil {
		return errTypes
	}
	account, known := s.Exchange().AccountByKey(key)
	if !known {
		return errKey
	}
	until, err := expires.Int64()
	switch {
	case err != nil || until <= s.Clock.Now().UnixMilli():
		return bad(10004, "Params Error: expires is in the past")
	case !signatureFits(account.Credentials.APISecret, "GET/realtime"+expires.String(), signature):
		return bad(10004, "Invalid sign")
	case !account.Permissions.Read:
		return errPermission
	}
	cl.account.Store(&account)
	return nil
}

// subscribePrivate subscribes to topics of one sort: plain ones, or those of a
// category. It returns the error to answer with.
func (s *Sim) subscribePrivate(cl *client, in opBody) string {
	names, ok := in.names()
	if cl.account.Load() == nil || !ok {
		return "error:not authenticated"
	}
	categorised := 0
	for _, name := range names {
		plain := strings.TrimSuffix(name, ".linear")
		if !privateTopics[plain] || plain == topicWallet && plain != name {
			return "error:handler not found,topic:" + name
		}
		if plain != name {
			categorised++
		}
	}
	wallets := 0
	for _, name := range names {
		if name == topicWallet {
			wallets++
		}
	}
	if categorised > 0 && categorised+wallets != len(names) {
		return "error:all-in-one and categorised topics in one request"
	}
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	for _, name := range names {
		if in.Op == "subscribe" {
			cl.topics[name] = true
		} else {
			delete(cl.topics, name)
		}
	}
	return ""
}

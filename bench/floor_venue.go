package bench

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"
)

// floorVenue is the venue as the floor program uses it: connections that are kept, one for
// each order at a time, and the private stream of the account.
type floorVenue struct {
	setting floorSetting
	stream  *websocket.Conn
	reading sync.WaitGroup
	// ended is the number of reports of ended orders.
	ended atomic.Int64

	mu   sync.Mutex
	idle []*floorLink
}

func openFloorVenue(ctx context.Context, setting floorSetting) (*floorVenue, error) {
	v := &floorVenue{setting: setting}
	key, err := v.listenKey()
	if err != nil {
		return nil, fmt.Errorf("listen key: %w", err)
	}
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, setting.WsURL+"/private/ws?listenKey="+key+"&events=ORDER_TRADE_UPDATE", nil)
	if err != nil {
		return nil, fmt.Errorf("private stream: %w", err)
	}
	_ = response.Body.Close()
	v.stream = conn
	v.reading.Go(v.read)
	return v, nil
}

func (v *floorVenue) close() {
	_ = v.stream.Close()
	v.reading.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, link := range v.idle {
		_ = link.conn.Close()
	}
}

func (v *floorVenue) listenKey() (string, error) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(v.setting.RestURL + "/fapi/v1/listenKey")
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.Set("X-MBX-APIKEY", v.setting.Account.APIKey)
	if err := fasthttp.DoTimeout(request, answer, orderAnswerMax); err != nil {
		return "", err
	}
	var said struct {
		ListenKey string `json:"listenKey"`
	}
	err := json.Unmarshal(answer.Body(), &said)
	if err == nil && said.ListenKey == "" {
		err = fmt.Errorf("unexpected answer %s", answer.Body())
	}
	return said.ListenKey, err
}

// read decodes the messages of the private stream until it ends.
func (v *floorVenue) read() {
	var parser fastjson.Parser
	var message []byte
	for {
		_, in, err := v.stream.NextReader()
		if err != nil {
			return
		}
		if message, err = appendAll(message[:0], in); err != nil {
			return
		}
		event, err := parser.ParseBytes(message)
		if err != nil {
			return
		}
		if string(event.GetStringBytes("e")) != "ORDER_TRADE_UPDATE" {
			continue
		}
		order := event.Get("o")
		if len(order.GetStringBytes("c")) > 0 && len(order.GetStringBytes("z")) > 0 && string(order.GetStringBytes("X")) != "NEW" {
			v.ended.Add(1)
		}
	}
}

// appendAll reads all of in.
func appendAll(to []byte, in io.Reader) ([]byte, error) {
	for {
		if len(to) == cap(to) {
			to = append(to, 0)[:len(to)]
		}
		n, err := in.Read(to[len(to):cap(to)])
		to = to[:len(to)+n]
		if errors.Is(err, io.EOF) {
			return to, nil
		}
		if err != nil {
			return to, err
		}
	}
}

// take returns an idle connection, or a new one.
func (v *floorVenue) take(ctx context.Context) (*floorLink, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.idle); n > 0 {
		link := v.idle[n-1]
		v.idle = v.idle[:n-1]
		return link, nil
	}
	host := strings.TrimPrefix(v.setting.RestURL, "http://")
	conn, err := (&net.Dialer{Timeout: orderAnswerMax}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	return &floorLink{
		conn: conn, in: bufio.NewReader(conn), mac: hmac.New(sha256.New, []byte(v.setting.Account.APISecret)),
		head: "POST /fapi/v1/order HTTP/1.1\r\nHost: " + host + "\r\nX-MBX-APIKEY: " + v.setting.Account.APIKey +
			"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ",
	}, nil
}

// put keeps a connection after its exchange, unless that has failed.
func (v *floorVenue) put(link *floorLink) {
	if link.broken {
		_ = link.conn.Close()
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.idle = append(v.idle, link)
}

// floorLink is a connection to the venue with its buffers. It makes one exchange at a
// time.
type floorLink struct {
	conn   net.Conn
	in     *bufio.Reader
	broken bool
	mac    hash.Hash
	parser fastjson.Parser
	answer fasthttp.Response

	head                string
	body, text, outcome []byte
	digest              [sha256.Size]byte
}

// place sends an order and returns the answer of the floor program, which is valid until
// the next exchange.
func (l *floorLink) place(order *fastjson.Value) ([]byte, error) {
	l.broken = true
	l.sign(order)
	l.text = append(l.text[:0], l.head...)
	l.text = strconv.AppendInt(l.text, int64(len(l.body)), 10)
	l.text = append(l.text, "\r\n\r\n"...)
	l.text = append(l.text, l.body...)
	if err := l.conn.SetDeadline(time.Now().Add(orderAnswerMax)); err != nil {
		return nil, err
	}
	if _, err := l.conn.Write(l.text); err != nil {
		return nil, err
	}
	if err := l.answer.Read(l.in); err != nil {
		return nil, err
	}
	l.broken = l.answer.ConnectionClose()
	said, err := l.parser.ParseBytes(l.answer.Body())
	if err != nil {
		return nil, err
	}
	status, known := floorStatuses[string(said.GetStringBytes("status"))]
	if !known {
		return nil, fmt.Errorf("answer with status %d: %s", l.answer.StatusCode(), l.answer.Body())
	}
	l.outcome = append(l.outcome[:0], `{"orderId":"`...)
	l.outcome = strconv.AppendInt(l.outcome, said.GetInt64("orderId"), 10)
	l.outcome = appendMember(l.outcome, `","requestId":"`, order.GetStringBytes("requestId"))
	l.outcome = appendMember(l.outcome, `","status":"`, status)
	l.outcome = appendMember(l.outcome, `","filledQty":"`, said.GetStringBytes("executedQty"))
	return append(l.outcome, `"}`...), nil
}

// sign sets the body of the request.
func (l *floorLink) sign(order *fastjson.Value) {
	b := appendMember(l.body[:0], "symbol=", order.GetStringBytes("symbol"))
	b = appendMember(b, "&side=", floorEnums[string(order.GetStringBytes("side"))])
	b = appendMember(b, "&type=", floorEnums[string(order.GetStringBytes("type"))])
	if price := order.GetStringBytes("price"); len(price) > 0 {
		b = appendMember(b, "&timeInForce=", floorEnums[string(order.GetStringBytes("timeInForce"))])
		b = appendMember(b, "&price=", price)
	}
	b = appendMember(b, "&quantity=", order.GetStringBytes("qty"))
	b = appendMember(b, "&newClientOrderId=", order.GetStringBytes("requestId"))
	b = append(b, "&newOrderRespType=RESULT&recvWindow=5000&timestamp="...)
	b = strconv.AppendInt(b, time.Now().UnixMilli(), 10)
	l.mac.Reset()
	l.mac.Write(b)
	l.body = hex.AppendEncode(append(b, "&signature="...), l.mac.Sum(l.digest[:0]))
}

func appendMember[T string | []byte](to []byte, name string, value T) []byte {
	return append(append(to, name...), value...)
}

// floorEnums are the venue's names of the values of an order, floorStatuses the names of
// its statuses in the answer.
var (
	floorEnums    = map[string]string{"buy": "BUY", "sell": "SELL", "limit": "LIMIT", "market": "MARKET", "ioc": "IOC", "gtc": "GTC"}
	floorStatuses = map[string]string{"EXPIRED": "cancelled", "FILLED": "filled", "NEW": "open", "PARTIALLY_FILLED": "partially_filled"}
)

package bench

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// memoryDir is a directory in memory.
const memoryDir = "/dev/shm"

// orderAnswerMax bounds the wait for one response.
const orderAnswerMax = 10 * time.Second

// ordersBench is a venue, a forward and two services, each in a process, and clients
// in this process and in node. The services have separate accounts, because a private
// stream reports every order of its account.
type ordersBench struct {
	binary string
	// accounts is the number of accounts of each service.
	accounts     int
	dir          string
	venuePart    *partner
	venue        venueReady
	forwardPart  *partner
	forward      string
	http         *fasthttp.Client
	memory, disk *orderService
	log          *syncLog
	// node is nil if it is not installed; noNode is then the reason.
	node   *orderPeer
	noNode string
	// requests is the number of the last request id.
	requests atomic.Int64
	closers  []func() error
}

func newOrdersBench(o Options) *ordersBench {
	b := &ordersBench{
		binary: o.Binary, accounts: orderAccounts,
		http: &fasthttp.Client{MaxConnsPerHost: 2 * orderAccounts, NoDefaultUserAgentHeader: true},
	}
	if o.Quick {
		b.accounts = orderAccountsQuick
	}
	return b
}

func (b *ordersBench) open(ctx context.Context) error {
	if err := b.openVenue(ctx, 2*(1+b.accounts)); err != nil {
		return err
	}
	var forward forwardReady
	var err error
	if b.forwardPart, err = startPart(ctx, b.binary, &forward, "forward", b.venue.At.RestURL); err != nil {
		return err
	}
	b.forward = forward.URL
	b.closers = append(b.closers, b.forwardPart.close)
	half := len(b.venue.Accounts) / 2
	if b.memory, err = b.startService(ctx, memoryDir, b.venue.Accounts[:half]); err != nil {
		return err
	}
	if b.disk, err = b.startService(ctx, "", b.venue.Accounts[half:]); err != nil {
		return err
	}
	if err := b.openLog(); err != nil {
		return err
	}
	switch b.node, err = startOrderPeer(ctx, b.venue); {
	case errors.Is(err, errNoPeer):
		b.noNode = err.Error()
		return nil
	case err != nil:
		return err
	}
	b.closers = append(b.closers, b.node.close)
	return nil
}

// openVenue starts the venue with a number of accounts.
func (b *ordersBench) openVenue(ctx context.Context, accounts int) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "venuegate-bench-"); err != nil {
		return err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(b.dir) })
	if b.venuePart, err = startPart(ctx, b.binary, &b.venue, "venue", strconv.Itoa(accounts)); err != nil {
		return err
	}
	b.closers = append(b.closers, b.venuePart.close)
	return nil
}

// openLog opens the probe with the size of one of an order's two commits.
func (b *ordersBench) openLog() error {
	before, err := logBytes(b.disk.store())
	if err != nil {
		return err
	}
	for account := range b.accounts {
		if err := b.disk.orderOf(account); err != nil {
			return err
		}
	}
	after, err := logBytes(b.disk.store())
	if err != nil {
		return err
	}
	if b.log, err = openSyncLog(filepath.Join(b.dir, "log"), int(after-before)/b.accounts/2); err != nil {
		return err
	}
	b.closers = append(b.closers, b.log.close)
	return nil
}

func (b *ordersBench) close() error {
	var errs []error
	for i := len(b.closers) - 1; i >= 0; i-- {
		errs = append(errs, b.closers[i]())
	}
	return errors.Join(errs...)
}

// processes returns the processes that an order may go through.
func (b *ordersBench) processes() []int {
	list := []int{os.Getpid(), b.venuePart.process(), b.forwardPart.process(), b.memory.process(), b.disk.process()}
	if b.node != nil {
		list = append(list, b.node.process())
	}
	return list
}

func (b *ordersBench) renewKeys() error {
	return errors.Join(b.memory.renewKeys(), b.disk.renewKeys())
}

// ways returns the ways of a setting.
func (b *ordersBench) ways(m *ordersMeasured, setting orderSetting) []*orderWay {
	inGo := func(order func(client, n int) error) func(to *laps, clients, each int) error {
		return func(to *laps, clients, each int) error { return to.run(clients, each, order) }
	}
	ways := []*orderWay{
		{rounds: &m.direct, send: inGo(func(int, int) error { return b.venueOrder(b.venue.At.RestURL) })},
		{rounds: &m.forward, send: inGo(func(int, int) error { return b.venueOrder(b.forward) })},
		{rounds: &m.memory, send: inGo(b.memory.order(setting.clients)), service: b.memory},
		{rounds: &m.disk, send: inGo(b.disk.order(setting.clients)), service: b.disk},
		{rounds: &m.sync, send: func(to *laps, _, _ int) error {
			return to.run(1, syncsOfTurn, func(int, int) error { return b.log.put(1) })
		}},
	}
	if b.node == nil {
		m.missing = b.noNode
		return ways
	}
	m.release = b.node.release
	ways = append(ways, &orderWay{rounds: &m.ccxt, send: b.node.ccxt})
	if setting.clients == 1 {
		through := func(to *laps, clients, each int) error { return b.node.through(b.memory, to, clients, each) }
		ways = append(ways, &orderWay{rounds: &m.node, send: through})
	}
	return ways
}

// venueOrder places an order with the venue's own API.
func (b *ordersBench) venueOrder(base string) error {
	query := url.Values{
		"symbol": {"BTCUSDT"}, "side": {"BUY"}, "type": {"LIMIT"}, "timeInForce": {"IOC"}, "quantity": {"1"}, "price": {"20000"},
		"newOrderRespType": {"RESULT"}, "timestamp": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}.Encode()
	signature := hmac.New(sha256.New, []byte(b.venue.Outside.APISecret))
	signature.Write([]byte(query))
	return b.postOrder(base+"/fapi/v1/order?"+query+"&signature="+hex.EncodeToString(signature.Sum(nil)), "X-MBX-APIKEY", b.venue.Outside.APIKey, nil)
}

// postOrder sends an order that cannot rest and does not match.
func (b *ordersBench) postOrder(address, header, value string, body []byte) error {
	answer, err := b.call(fasthttp.MethodPost, address, header, value, body)
	if err != nil {
		return err
	}
	var order struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(answer, &order); err != nil {
		return err
	}
	if order.Status != "cancelled" && order.Status != "EXPIRED" {
		return fmt.Errorf("order has status %s, want cancelled", order.Status)
	}
	return nil
}

// call sends a body with an authentication header and returns the response.
func (b *ordersBench) call(method, address, header, value string, body []byte) ([]byte, error) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(address)
	request.Header.SetMethod(method)
	request.Header.SetContentType("application/json")
	request.Header.Set(header, value)
	request.SetBody(body)
	if err := b.http.DoTimeout(request, answer, orderAnswerMax); err != nil {
		return nil, err
	}
	if answer.StatusCode()/100 != 2 {
		return nil, fmt.Errorf("response with status %d: %s", answer.StatusCode(), answer.Body())
	}
	return bytes.Clone(answer.Body()), nil
}

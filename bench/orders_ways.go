package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/venues/simcore"
)

// memoryDir is a directory in memory.
const memoryDir = "/dev/shm"

// orderAnswerMax bounds the wait for one response.
const orderAnswerMax = 10 * time.Second

// ordersBench is a venue, a forward, the floor program and two services, each in a
// process, and clients in this process and in node. Services and floor program have
// separate accounts, because a private stream reports every order of its account.
type ordersBench struct {
	binary string
	// venueName is the part that is the venue.
	venueName string
	// accounts is the number of accounts of each service.
	accounts     int
	dir          string
	venuePart    *partner
	venue        venueReady
	forwardPart  *partner
	forward      string
	floorPart    *partner
	floor        string
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

func newOrdersBench(o Options, venue string) *ordersBench {
	b := &ordersBench{
		binary: o.Binary, venueName: venue, accounts: orderAccounts,
		http: &fasthttp.Client{MaxConnsPerHost: 2 * orderAccounts, NoDefaultUserAgentHeader: true},
	}
	if o.Quick {
		b.accounts = orderAccountsQuick
	}
	return b
}

func (b *ordersBench) open(ctx context.Context) error {
	if err := b.openVenue(ctx, 1+2*(1+b.accounts)); err != nil {
		return err
	}
	ofFloor, accounts := b.venue.Accounts[0], b.venue.Accounts[1:]
	var forward forwardReady
	var err error
	if b.forwardPart, err = startPart(ctx, b.binary, &forward, "forward", b.venue.At.RestURL); err != nil {
		return err
	}
	b.forward = forward.URL
	b.closers = append(b.closers, b.forwardPart.close)
	if err := b.openFloor(ctx, ofFloor); err != nil {
		return err
	}
	half := len(accounts) / 2
	if b.memory, err = b.startService(ctx, memoryDir, accounts[:half]); err != nil {
		return err
	}
	if b.disk, err = b.startService(ctx, "", accounts[half:]); err != nil {
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
	if b.venuePart, err = startPart(ctx, b.binary, &b.venue, b.venueName, strconv.Itoa(accounts)); err != nil {
		return err
	}
	b.closers = append(b.closers, b.venuePart.close)
	return nil
}

// openFloor starts the floor program.
func (b *ordersBench) openFloor(ctx context.Context, account simcore.Credentials) error {
	inMemory, err := os.MkdirTemp(memoryDir, "venuegate-bench-")
	if err != nil {
		return err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(inMemory) })
	setting, err := json.Marshal(floorSetting{
		RestURL: b.venue.At.RestURL, WsURL: b.venue.At.WsURL, Account: account, Memory: inMemory, Disk: b.dir,
	})
	if err != nil {
		return err
	}
	var ready floorReady
	if b.floorPart, err = startPart(ctx, b.binary, &ready, "floor", string(setting)); err != nil {
		return err
	}
	b.floor = ready.URL
	b.closers = append(b.closers, b.floorPart.close)
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
	list := []int{os.Getpid(), b.venuePart.process(), b.forwardPart.process(), b.floorPart.process(), b.memory.process(), b.disk.process()}
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
	floor := func(path string) func(int, int) error {
		return func(int, int) error { return b.floorOrder(path) }
	}
	ways := []*orderWay{
		{rounds: &m.direct, send: inGo(func(int, int) error { return b.venueOrder(b.venue.At.RestURL) })},
		{rounds: &m.forward, send: inGo(func(int, int) error { return b.venueOrder(b.forward) }), process: b.forwardPart.process()},
		{rounds: &m.floor, send: inGo(floor(floorMemoryPath)), process: b.floorPart.process()},
		{rounds: &m.memory, send: inGo(b.memory.order(setting.clients)), process: b.memory.process()},
	}
	if setting.durable() {
		ways = append(ways,
			&orderWay{rounds: &m.floorDisk, send: inGo(floor(floorDiskPath)), process: b.floorPart.process()},
			&orderWay{rounds: &m.disk, send: inGo(b.disk.order(setting.clients)), process: b.disk.process()},
			&orderWay{rounds: &m.sync, send: func(to *laps, _, _ int) error {
				return to.run(1, syncsOfTurn, func(int, int) error { return b.log.put(1) })
			}})
	}
	for _, w := range ways {
		w.venue = b.venuePart.process()
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

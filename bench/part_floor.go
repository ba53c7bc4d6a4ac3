package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/pprof"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fastjson"

	"venuegate/venues/simcore"
)

// Paths of the floor program: an order whose log is in memory, and one whose log is on
// the disk and synced.
const (
	floorMemoryPath = "/memory/v1/orders"
	floorDiskPath   = "/disk/v1/orders"
)

// floorPart is the floor program: the minimum that receives an order, records it, places
// it at the venue and reads what the venue reports about it. It has no authentication, no
// risk checks, no state and no recovery.
type floorPart struct {
	app          *fiber.App
	venue        *floorVenue
	parsers      fastjson.ParserPool
	memory, disk *floorLog
}

// floorSetting is the argument of the floor program: the venue's addresses, an account,
// and a directory for each log.
type floorSetting struct {
	RestURL string              `json:"restUrl"`
	WsURL   string              `json:"wsUrl"`
	Account simcore.Credentials `json:"account"`
	Memory  string              `json:"memory"`
	Disk    string              `json:"disk"`
}

// floorReady has the address of the floor program.
type floorReady struct {
	URL string `json:"url"`
}

// floorReport is the answer to any line of input: the number of reports of the private
// stream about ended orders.
type floorReport struct {
	Ended int64 `json:"ended"`
}

func (f *floorPart) open(ctx context.Context, argument string) (any, error) {
	var setting floorSetting
	if err := json.Unmarshal([]byte(argument), &setting); err != nil {
		return nil, err
	}
	var err error
	if f.memory, err = openFloorLog(setting.Memory, false); err != nil {
		return nil, err
	}
	if f.disk, err = openFloorLog(setting.Disk, true); err != nil {
		return nil, err
	}
	if f.venue, err = openFloorVenue(ctx, setting); err != nil {
		return nil, err
	}
	f.app = fiber.New(fiber.Config{DisableStartupMessage: true})
	f.app.Post(floorMemoryPath, func(c *fiber.Ctx) error { return f.place(c, f.memory) })
	f.app.Post(floorDiskPath, func(c *fiber.Ctx) error { return f.place(c, f.disk) })
	// Its costs are read as those of the service are.
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector())
	f.app.Get("/metrics", adaptor.HTTPHandler(promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true})))
	f.app.Use(pprof.New())
	listener, err := listenLocal(ctx)
	if err != nil {
		return nil, err
	}
	go func() { _ = f.app.Listener(listener) }()
	return floorReady{"http://" + listener.Addr().String()}, nil
}

func (f *floorPart) answer(context.Context, []byte) (any, error) {
	return floorReport{f.venue.ended.Load()}, nil
}

func (f *floorPart) close() error {
	var errs []error
	if f.app != nil {
		errs = append(errs, f.app.ShutdownWithTimeout(time.Second))
	}
	if f.venue != nil {
		f.venue.close()
	}
	for _, log := range []*floorLog{f.memory, f.disk} {
		if log != nil {
			errs = append(errs, log.file.Close())
		}
	}
	return errors.Join(errs...)
}

// place records an order, places it, records the outcome and answers.
func (f *floorPart) place(c *fiber.Ctx, log *floorLog) error {
	parser := f.parsers.Get()
	defer f.parsers.Put(parser)
	order, err := parser.ParseBytes(c.Body())
	if err != nil {
		return fiber.NewError(fiber.StatusBadRequest, err.Error())
	}
	if err := log.append(c.Body()); err != nil {
		return err
	}
	link, err := f.venue.take(c.UserContext())
	if err != nil {
		return err
	}
	defer f.venue.put(link)
	outcome, err := link.place(order)
	if err != nil {
		return fmt.Errorf("place an order: %w", err)
	}
	if err := log.append(link.answer.Body()); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(outcome)
}

// floorLog is a preallocated file to which records are appended.
type floorLog struct {
	file *os.File
	sync bool

	mu      sync.Mutex
	at      int64
	record  []byte
	written uint64

	syncing sync.Mutex
	synced  uint64
}

func openFloorLog(dir string, sync bool) (*floorLog, error) {
	file, err := createLog(filepath.Join(dir, "floor"))
	return &floorLog{file: file, sync: sync}, err
}

// append writes a record and, if the log is durable, syncs it. Concurrent callers share a
// sync.
func (l *floorLog) append(record []byte) error {
	number, err := l.write(record)
	if err != nil || !l.sync {
		return err
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.synced >= number {
		return nil
	}
	l.mu.Lock()
	number = l.written
	l.mu.Unlock()
	if err := dataSync(l.file); err != nil {
		return err
	}
	l.synced = number
	return nil
}

// write appends a record and returns its number.
func (l *floorLog) write(record []byte) (number uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record = binary.LittleEndian.AppendUint32(l.record[:0], uint32(len(record)))
	l.record = append(l.record, record...)
	if l.at+int64(len(l.record)) > logFileBytes {
		l.at = 0
	}
	if _, err := l.file.WriteAt(l.record, l.at); err != nil {
		return 0, err
	}
	l.at += int64(len(l.record))
	l.written++
	return l.written, nil
}

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/api"
	"venuegate/transport/listen"
)

const (
	// streamHeaderBytes bounds the headers of a request, as in the service.
	streamHeaderBytes = 8 << 10
	// streamSettle is how long frames of a constant rate may take after the last one.
	streamSettle = 100 * time.Millisecond
)

// streamPart is a server of a stream whose frames the scenario requests. Its argument is
// "hub" for the service's stream, or "raw" for the least that sends as much.
type streamPart struct {
	server streamServer
	app    *fiber.App
	served chan error
}

// streamServer accepts subscribers and sends frames to them.
type streamServer interface {
	handle(c *fiber.Ctx) error
	// send sends frames as requested and returns what was written meanwhile.
	send(ctx context.Context, q *streamRequest) (streamAnswer, error)
	close(ctx context.Context) error
}

// streamReady has the address of the stream.
type streamReady struct {
	URL string `json:"url"`
}

// streamRequest requests Frames frames of Bytes bytes of each of the topics.
type streamRequest struct {
	Topics []string `json:"topics"`
	// Each is the number of topics of a subscriber.
	Each   int `json:"each"`
	Frames int `json:"frames"`
	Bytes  int `json:"bytes"`
	// PerSecond is the rate of the frames of a topic; zero sends as fast as possible.
	PerSecond float64 `json:"perSecond"`
	// FramesAWrite is the number of frames that the raw server joins.
	FramesAWrite int `json:"framesAWrite"`
	// ReleaseMemory returns memory that is not used to the system instead of sending.
	ReleaseMemory bool `json:"releaseMemory"`
}

// streamAnswer has what was written. Dropped are frames that were dropped because a
// subscriber did not read.
type streamAnswer struct {
	Deliveries float64 `json:"deliveries"`
	Writes     float64 `json:"writes"`
	Dropped    float64 `json:"dropped"`
	Seconds    float64 `json:"seconds"`
}

func (p *streamPart) open(ctx context.Context, argument string) (_ any, err error) {
	switch argument {
	case "hub":
		p.server, err = newHubServer()
	case "raw":
		p.server = newRawServer()
	default:
		err = fmt.Errorf("unknown stream %q", argument)
	}
	if err != nil {
		return nil, err
	}
	listener, err := listenLocal(ctx)
	if err != nil {
		return nil, err
	}
	p.app = fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true})
	// As in the service, so that the memory of a connection is the same.
	p.app.Server().ReadBufferSize, p.app.Server().ReduceMemoryUsage = streamHeaderBytes, true
	p.app.Get("/v1/stream", p.server.handle)
	p.served = make(chan error, 1)
	go func() { p.served <- p.app.Listener(listen.HTTP(listener, api.StreamFrameBytesMax)) }()
	return streamReady{URL: "ws://" + listener.Addr().String() + "/v1/stream"}, nil
}

func (p *streamPart) answer(ctx context.Context, question []byte) (any, error) {
	var q streamRequest
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	if q.ReleaseMemory {
		debug.FreeOSMemory()
		return streamAnswer{}, nil
	}
	begun := time.Now()
	said, err := p.server.send(ctx, &q)
	said.Seconds = time.Since(begun).Seconds()
	return said, err
}

func (p *streamPart) close() error {
	if p.served == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), audienceAnswerMax)
	defer cancel()
	return errors.Join(p.server.close(ctx), p.app.ShutdownWithContext(ctx), <-p.served)
}

// sentPrefix begins a frame, before the time when it was due; subscribers read it.
const sentPrefix = `{"t":"`

// sentDigits is the length of that time in nanoseconds.
const sentDigits = 20

// appendSent appends a frame of the given size with the time when it was due.
func appendSent(to []byte, due time.Time, bytes int) []byte {
	frame := fmt.Sprintf(`%s%0*d","x":"`, sentPrefix, sentDigits, due.UnixNano())
	return append(append(append(to, frame...), strings.Repeat("x", max(0, bytes-len(frame)-2))...), `"}`...)
}

// sentAt returns the time when a frame was due.
func sentAt(frame []byte) (time.Time, bool) {
	if len(frame) < len(sentPrefix)+sentDigits || string(frame[:len(sentPrefix)]) != sentPrefix {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(string(frame[len(sentPrefix):len(sentPrefix)+sentDigits]), 10, 64)
	return time.Unix(0, n), err == nil
}

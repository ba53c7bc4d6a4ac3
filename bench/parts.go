package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
)

// part is a component of a scenario in a separate process, so that neither the service
// nor the limit shares a process with its clients. It is this binary, started again,
// with the protocol of a partner.
type part interface {
	// open starts the part and returns its first line. The argument may be empty.
	open(ctx context.Context, argument string) (ready any, err error)
	// answer responds to a line of input.
	answer(ctx context.Context, question []byte) (any, error)
	close() error
}

var parts = map[string]func() part{
	"venue":    func() part { return &venuePart{} },
	"canned":   func() part { return &cannedPart{} },
	"forward":  func() part { return &forwardPart{} },
	"floor":    func() part { return &floorPart{} },
	"audience": func() part { return &audiencePart{} },
	"stream":   func() part { return &streamPart{} },
	"flood":    func() part { return &floodPart{} },
}

// requestBytesMax bounds a line of input.
const requestBytesMax = 1 << 20

// Part runs a part of a scenario until its input ends. Only scenarios use it.
func Part(ctx context.Context, name, argument string, in io.Reader, out io.Writer) (err error) {
	made, known := parts[name]
	if !known {
		return fmt.Errorf("unknown part %q", name)
	}
	p := made()
	defer func() { err = errors.Join(err, p.close()) }()
	said, err := p.open(ctx, argument)
	if err != nil {
		return fmt.Errorf("part %s: %w", name, err)
	}
	answers := json.NewEncoder(out)
	if err := answers.Encode(said); err != nil {
		return err
	}
	questions := bufio.NewScanner(in)
	questions.Buffer(nil, requestBytesMax)
	for questions.Scan() {
		if said, err = p.answer(ctx, questions.Bytes()); err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		if err := answers.Encode(said); err != nil {
			return err
		}
	}
	return questions.Err()
}

// startPart starts a part as a process.
func startPart(ctx context.Context, binary string, ready any, name, argument string) (*partner, error) {
	command := exec.CommandContext(context.WithoutCancel(ctx), binary, "bench", "part", name, argument)
	return startPartner(command, ready)
}

func listenLocal(ctx context.Context) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

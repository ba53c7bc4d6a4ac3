package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// scheduling is what an execution trace has of the goroutines of a process. Started and
// Woken count goroutines that were created and that became ready after a wait; Calls are
// system calls of goroutines, without those of the runtime itself.
type scheduling struct{ Started, Woken, Calls float64 }

// Events of an execution trace, as in internal/trace/tracev2 of Go's library, and the
// version of the format that this file reads.
const (
	traceHeader = "go 1.26 trace\x00\x00\x00"

	traceBatch        = 1
	traceGoCreate     = 14
	traceGoUnblock    = 21
	traceSyscallBegin = 22
	traceExperimental = 49
	traceEnd          = 52
)

// traceArguments has the number of arguments of each event in a batch, by its number; 0
// is an event that is not in a batch of events, such as the table of stacks.
var traceArguments = [...]int{
	9: 3, 10: 3, 11: 1, 12: 4, 13: 3, // processors
	14: 4, 15: 2, 16: 3, 17: 1, 18: 1, 19: 3, 20: 3, 21: 4, 22: 3, 23: 1, 24: 1, 25: 4, // goroutines
	26: 3, 27: 1, // stops of the world
	28: 2, 29: 3, 30: 2, 31: 2, 32: 2, 33: 3, 34: 2, 35: 2, 36: 1, 37: 2, 38: 2, // garbage collection
	39: 2, 40: 5, 41: 3, 42: 4, 43: 4, 44: 5, // annotations
	45: 3, 46: 3, 47: 4, 48: 5, // coroutines and states
}

// traceBatchMax bounds a batch of a trace.
const traceBatchMax = 64 << 10

var errTrace = errors.New("not an execution trace of the version that the benchmark reads")

// countTrace counts the events of an execution trace.
func countTrace(trace []byte) (counted scheduling, err error) {
	rest, is := bytes.CutPrefix(trace, []byte(traceHeader))
	if !is {
		return counted, errTrace
	}
	for in := bufio.NewReader(bytes.NewReader(rest)); ; {
		kind, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return counted, nil
		case err != nil:
			return counted, err
		case kind == traceEnd:
			continue
		case kind != traceBatch && kind != traceExperimental:
			return counted, fmt.Errorf("%w: %d instead of a batch", errTrace, kind)
		}
		batch, err := readTraceBatch(in, kind)
		if err != nil {
			return counted, err
		}
		if kind == traceBatch {
			err = counted.add(batch)
		}
		if err != nil {
			return counted, err
		}
	}
}

// readTraceBatch reads a batch without its head, which is generation, thread, time and
// length; the head of an experimental one begins with the experiment.
func readTraceBatch(in *bufio.Reader, kind byte) ([]byte, error) {
	skipped := 3
	if kind == traceExperimental {
		skipped++
	}
	var length uint64
	for range skipped + 1 {
		var err error
		if length, err = binary.ReadUvarint(in); err != nil {
			return nil, err
		}
	}
	if length > traceBatchMax {
		return nil, fmt.Errorf("%w: a batch of %d bytes", errTrace, length)
	}
	batch := make([]byte, length)
	_, err := io.ReadFull(in, batch)
	return batch, err
}

// add counts the events of a batch. Batches of tables have none.
func (s *scheduling) add(batch []byte) error {
	if len(batch) > 0 && argumentsOf(batch[0]) == 0 {
		return nil
	}
	for len(batch) > 0 {
		kind := batch[0]
		arguments := argumentsOf(kind)
		if arguments == 0 {
			return fmt.Errorf("%w: unknown event %d", errTrace, kind)
		}
		batch = batch[1:]
		for range arguments {
			_, n := binary.Uvarint(batch)
			if n <= 0 {
				return fmt.Errorf("%w: event %d is cut off", errTrace, kind)
			}
			batch = batch[n:]
		}
		switch kind {
		case traceGoCreate:
			s.Started++
		case traceGoUnblock:
			s.Woken++
		case traceSyscallBegin:
			s.Calls++
		}
	}
	return nil
}

func argumentsOf(kind byte) int {
	if int(kind) >= len(traceArguments) {
		return 0
	}
	return traceArguments[kind]
}

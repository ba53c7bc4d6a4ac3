package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	venuegate "venuegate/transport/clients/go"
)

// frameMin is the least time between two drawings.
const frameMin = 100 * time.Millisecond

// Sequences that switch to a screen of its own without a cursor, and back.
const (
	ansiOpenScreen  = "\x1b[?1049h\x1b[?25l"
	ansiCloseScreen = "\x1b[?25h\x1b[?1049l"
	ansiHome        = "\x1b[H"
	ansiClearLine   = "\x1b[K"
	ansiClearBelow  = "\x1b[J"
)

// screen draws the topics of a stream, one below the other.
type screen struct {
	out    io.Writer
	paint  palette
	topics []string
	panels map[string]panel
	// status describes the connection, of which connected reports whether there has been one.
	status    screenLine
	connected bool
}

func newScreen(out io.Writer, environ []string) *screen {
	return &screen{out: out, paint: newPalette(out, environ), panels: map[string]panel{}, status: screenLine{"connecting", ansiYellow}}
}

// run draws the messages of a stream until ctx ends, which is no error, or the stream does.
func (s *screen) run(ctx context.Context, stream *venuegate.Stream) error {
	fmt.Fprint(s.out, ansiOpenScreen)
	defer fmt.Fprint(s.out, ansiCloseScreen)
	drawn, pending := time.Time{}, true
	for {
		m, err := s.next(ctx, stream, pending, drawn.Add(frameMin))
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			s.draw()
			drawn, pending = time.Now(), false
			continue
		case err != nil:
			return err
		}
		if err := s.apply(m); err != nil {
			return err
		}
		pending = true
	}
}

// next waits for a message. If a drawing is pending it waits until that is due.
func (s *screen) next(ctx context.Context, stream *venuegate.Stream, pending bool, due time.Time) (venuegate.Message, error) {
	if !pending {
		return stream.Next(ctx)
	}
	if time.Now().After(due) {
		return venuegate.Message{}, context.DeadlineExceeded
	}
	ctx, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	return stream.Next(ctx)
}

func (s *screen) apply(m venuegate.Message) error {
	switch m.Type {
	case venuegate.TypeConnected:
		s.status, s.connected = screenLine{"connected", ansiDim}, true
	case venuegate.TypeDisconnected:
		if !s.connected {
			return m.Err
		}
		s.status = screenLine{interruption(m), ansiYellow}
		for _, p := range s.panels {
			if l, is := p.(*ladder); is {
				_ = l.apply(m) // only marks it
			}
		}
	default:
		if s.panels[m.Topic] == nil {
			s.topics = append(s.topics, m.Topic)
			s.panels[m.Topic] = newPanel(m.Topic)
		}
		return s.panels[m.Topic].apply(m)
	}
	return nil
}

// interruption describes the end of a connection.
func interruption(m venuegate.Message) string {
	return fmt.Sprintf("the stream was interrupted (%v); messages may be missing; connecting again in %s", m.Err, roundUp(m.RetryIn, waitUnit))
}

// waitUnit is the unit of a wait that is shown.
const waitUnit = 100 * time.Millisecond

func roundUp(d, unit time.Duration) time.Duration { return (d + unit - 1).Truncate(unit) }

func (s *screen) draw() {
	width, height, _ := terminalSize(s.out)
	_, _ = s.out.Write(s.frame(width, height)) // there is no other place to report a failed write to a terminal
}

// frame returns what draws everything. The lines that do not fit are left out. Texts that a
// service or a venue has sent cannot control the terminal.
func (s *screen) frame(width, height int) []byte {
	lines := make([]screenLine, 0, height)
	if n := len(s.topics); n > 0 {
		each := max(2, (height-1)/n-2)
		for _, topic := range s.topics {
			lines = append(lines, screenLine{topic, ansiBold})
			lines = append(lines, s.panels[topic].lines(each)...)
			lines = append(lines, screenLine{})
		}
	}
	lines = append(lines[:min(len(lines), max(0, height-1))], s.status)
	var text bytes.Buffer
	text.WriteString(ansiHome)
	for i, line := range lines {
		text.WriteString(s.paint.text(line.colour, cut(printable(line.text), width)) + ansiClearLine)
		if i < len(lines)-1 {
			text.WriteString("\r\n")
		}
	}
	text.WriteString(ansiClearBelow)
	return text.Bytes()
}

// cut returns as much of a line as a width has room for.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return strings.TrimRight(string([]rune(line)[:max(0, width)]), " ")
}

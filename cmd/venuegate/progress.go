package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// progressRedraw is the interval of the progress on a terminal, progressLine that of the
	// lines elsewhere.
	progressRedraw = 200 * time.Millisecond
	progressLine   = 10 * time.Second
)

// progress reports how far long work is: on a terminal a line that is redrawn, elsewhere a
// line from time to time. It is an io.Writer that counts what is written to it.
type progress struct {
	out      io.Writer
	what     string
	terminal bool
	began    time.Time

	mu sync.Mutex
	// sizeBytes is the amount that is done, of totalBytes if that is not zero. count is the number
	// of what unit names.
	sizeBytes, totalBytes, count int64
	unit                         string

	stop, stopped chan struct{}
}

// startProgress begins to report on work, until end. beside is where the work itself is
// written to: lines on the same terminal are not redrawn.
func startProgress(out, beside io.Writer, what string) *progress {
	p := &progress{out: out, what: what, terminal: isTerminal(out) && !isTerminal(beside), began: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.run()
	return p
}

func (p *progress) run() {
	defer close(p.stopped)
	every := progressLine
	if p.terminal {
		every = progressRedraw
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.print(false)
		case <-p.stop:
			return
		}
	}
}

// Write counts bytes.
func (p *progress) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizeBytes += int64(len(data))
	return len(data), nil
}

// expect sets the size of the whole work.
func (p *progress) expect(totalBytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totalBytes = totalBytes
}

// counted sets the number of what unit names.
func (p *progress) counted(count int64, unit string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.unit = count, unit
}

// end stops the reports and prints size, count and time, unless the work failed: then the
// error follows on a line of its own.
func (p *progress) end(err error) {
	close(p.stop)
	<-p.stopped
	if err == nil {
		p.print(true)
	} else if p.terminal {
		fmt.Fprint(p.out, "\r"+ansiClearLine)
	}
}

// print prints the state. On a terminal only the last one ends its line.
func (p *progress) print(last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []string
	if p.sizeBytes > 0 {
		size := sizeText(p.sizeBytes)
		if p.totalBytes > p.sizeBytes {
			size += fmt.Sprintf(" of %s (%d %%)", sizeText(p.totalBytes), p.sizeBytes*100/p.totalBytes)
		}
		parts = append(parts, size)
	}
	if p.unit != "" {
		parts = append(parts, fmt.Sprintf("%d %s", p.count, p.unit))
	}
	took := time.Since(p.began)
	took = took.Round(max(time.Millisecond, took.Round(time.Second)/100))
	text := p.what + ": " + strings.Join(append(parts, took.String()), ", ")
	if p.terminal {
		text = "\r" + text + ansiClearLine
	}
	if last || !p.terminal {
		text += "\n"
	}
	fmt.Fprint(p.out, text)
}

// sizeText returns a size as people write it.
func sizeText(sizeBytes int64) string {
	size, unit := float64(sizeBytes), "B"
	for _, larger := range []string{"KB", "MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, larger
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", sizeBytes)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the script that CCXT Pro runs in
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"venuegate/venues"
)

// peerScript plays messages to CCXT Pro. It is given to node as text, so that the
// packages of the folder it runs in are found.
//
//go:embed peers/ccxt.js
var peerScript string

// peerMessagesMin is how many messages CCXT Pro measures in a round.
const peerMessagesMin = 4000

// peerFolder is where the pinned CCXT is installed, below the module.
var peerFolder = filepath.Join("venues", "simcore", "interop")

// errNoPeer says what is missing for CCXT Pro.
var errNoPeer = errors.New("not measured")

// peer is CCXT Pro in a process of its own, which waits between rounds.
type peer struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	file    string
	scale   venues.Scale
	release string
}

// startPeer gives CCXT Pro the feed's messages and waits until it is warm.
func startPeer(ctx context.Context, f *bookFeed) (*peer, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w: node is not installed", errNoPeer)
	}
	folder := filepath.Join(moduleRoot(), peerFolder)
	release, err := peerRelease(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: CCXT is not installed, `npm ci` in %s does that", errNoPeer, peerFolder)
	}
	file, err := peerFile(f)
	if err != nil {
		return nil, err
	}
	p := &peer{file: file, scale: f.instrument.Scale(), release: release}
	p.cmd = exec.CommandContext(ctx, node, "--input-type=module", "--eval", peerScript, "--",
		string(f.venue), file, f.instrument.VenueSymbol, strconv.Itoa(peerMessagesMin))
	p.cmd.Dir, p.cmd.Stderr = folder, os.Stderr
	if err := p.start(); err != nil {
		p.close()
		return nil, fmt.Errorf("start CCXT Pro: %w", err)
	}
	return p, nil
}

// peerRelease is the installed version of CCXT.
func peerRelease(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", "ccxt", "package.json"))
	if err != nil {
		return "", err
	}
	var about struct{ Version string }
	err = json.Unmarshal(text, &about)
	return about.Version, err
}

// peerFile writes the feed's messages, one a line.
func peerFile(f *bookFeed) (name string, err error) {
	file, err := os.CreateTemp("", "venuegate-bench-*.jsonl")
	if err != nil {
		return "", err
	}
	messages := append([][]byte{f.snapshot}, f.updates...)
	_, err = file.Write(bytes.Join(messages, []byte("\n")))
	return file.Name(), errors.Join(err, file.Close())
}

func (p *peer) start() (err error) {
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.output = bufio.NewReader(output)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	var warm struct{}
	return p.answer(&warm)
}

func (p *peer) answer(into any) error {
	line, err := p.output.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("answer of CCXT Pro: %w", err)
	}
	return json.Unmarshal(line, into)
}

// rate is the messages that CCXT Pro takes in a second. Its book must end at the
// prices of the probe's.
func (p *peer) rate(want *probeBook) (float64, error) {
	if _, err := io.WriteString(p.input, "\n"); err != nil {
		return 0, err
	}
	var measured struct {
		PerSecond float64
		Bid, Ask  string
	}
	if err := p.answer(&measured); err != nil {
		return 0, err
	}
	for price, text := range map[int64]string{want.best(+1).Price: measured.Bid, want.best(-1).Price: measured.Ask} {
		if p.scale.Price(price).String() != text {
			return 0, fmt.Errorf("CCXT Pro ends at %s, the probe at %s", text, p.scale.Price(price))
		}
	}
	return measured.PerSecond, nil
}

// version is the release of CCXT.
func (p *peer) version() string {
	if p == nil {
		return ""
	}
	return p.release
}

// close ends the process and takes its file away; p may be nil.
func (p *peer) close() {
	if p == nil {
		return
	}
	if p.cmd.Process != nil {
		_ = p.input.Close()
		_ = p.cmd.Wait()
	}
	_ = os.Remove(p.file)
}

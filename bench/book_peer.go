package bench

import (
	"bytes"
	"context"
	_ "embed" // the script that CCXT Pro runs in
	"encoding/json"
	"errors"
	"fmt"
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

// peerMessagesMin is how many messages CCXT Pro measures in a round at the least.
const peerMessagesMin = 4000

// peerFolder is where the pinned CCXT is installed, below the module.
var peerFolder = filepath.Join("venues", "simcore", "interop")

// errNoPeer says what is missing for CCXT Pro.
var errNoPeer = errors.New("not measured")

// peer is CCXT Pro in a process of its own, which waits between rounds.
type peer struct {
	*partner
	file    string
	scale   venues.Scale
	release string
}

// startPeer gives CCXT Pro the feed's messages, of which it is to measure so many at
// the least, and waits until it is warm.
func startPeer(ctx context.Context, f *bookFeed, messages int) (*peer, error) {
	node, folder, release, err := findPeer()
	if err != nil {
		return nil, err
	}
	file, err := peerFile(f)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, node, "--input-type=module", "--eval", peerScript, "--",
		string(f.venue), file, f.instrument.VenueSymbol, strconv.Itoa(messages))
	command.Dir = folder
	started, err := startPartner(command, &struct{}{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start CCXT Pro: %w", err), os.Remove(file))
	}
	return &peer{partner: started, file: file, scale: f.instrument.Scale(), release: release}, nil
}

// findPeer finds node, the folder that CCXT is installed in, and its version.
func findPeer() (node, folder, release string, err error) {
	if node, err = exec.LookPath("node"); err != nil {
		return "", "", "", fmt.Errorf("%w: node is not installed", errNoPeer)
	}
	folder = filepath.Join(moduleRoot(), peerFolder)
	if release, err = peerRelease(folder); err != nil {
		return "", "", "", fmt.Errorf("%w: CCXT is not installed, `npm ci` in %s does that", errNoPeer, peerFolder)
	}
	return node, folder, release, nil
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

// rate is the messages that CCXT Pro takes in a second. Its book must end at the
// prices of the probe's.
func (p *peer) rate(want *probeBook) (float64, error) {
	var measured struct {
		PerSecond float64
		Bid, Ask  string
	}
	if err := p.ask(struct{}{}, &measured); err != nil {
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
	_ = p.partner.close()
	_ = os.Remove(p.file)
}

package bench

import (
	"bytes"
	"context"
	_ "embed" // the script that runs CCXT Pro
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"venuegate/venues"
)

// peerScript plays messages to CCXT Pro. It is passed to node as text, so that node
// resolves the packages of its working directory.
//
//go:embed peers/ccxt.js
var peerScript string

// peerMessagesMin is the minimum number of messages of a round of CCXT Pro.
const peerMessagesMin = 4000

// peerFolder is the directory of the pinned CCXT, below the module's root.
var peerFolder = filepath.Join("venues", "simcore", "interop")

// errNoPeer is returned if node or CCXT is not installed.
var errNoPeer = errors.New("not measured")

// peer is CCXT Pro in a separate process, which is idle between rounds.
type peer struct {
	*partner
	file    string
	scale   venues.Scale
	release string
}

// startPeer starts CCXT Pro with the feed's messages and a minimum number of them per
// round, and waits until it is warm.
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

// findPeer returns the path of node, the directory of CCXT, and its version.
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

// peerRelease returns the installed version of CCXT.
func peerRelease(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", "ccxt", "package.json"))
	if err != nil {
		return "", err
	}
	var about struct{ Version string }
	err = json.Unmarshal(text, &about)
	return about.Version, err
}

// peerFile writes the feed's messages to a file, one per line.
func peerFile(f *bookFeed) (name string, err error) {
	file, err := os.CreateTemp("", "venuegate-bench-*.jsonl")
	if err != nil {
		return "", err
	}
	messages := append([][]byte{f.snapshot}, f.updates...)
	_, err = file.Write(bytes.Join(messages, []byte("\n")))
	return file.Name(), errors.Join(err, file.Close())
}

// rate returns how many messages per second CCXT Pro applies. Its book must end with
// the prices of the probe's.
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

// version returns the release of CCXT.
func (p *peer) version() string {
	if p == nil {
		return ""
	}
	return p.release
}

// close ends the process and removes its file; p may be nil.
func (p *peer) close() {
	if p == nil {
		return
	}
	_ = p.partner.close()
	_ = os.Remove(p.file)
}

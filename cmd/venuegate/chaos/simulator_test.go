//go:build chaos

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// portsOfSimulator is the number of consecutive ports of the simulators.
const portsOfSimulator = 6

// simulator is the simulated venues in a separate process. It is never a variant of
// the source, because its ledger is the reference for the service.
type simulator struct {
	t       testing.TB
	process *process
	listen  string
	// file describes the venues; ledger is what they have accepted.
	file, ledger string
	control      map[venues.Venue]string
	client       *http.Client
	// lives are the start times of its processes.
	lives []time.Time
}

func startSimulator(t testing.TB) *simulator {
	t.Helper()
	dir := t.TempDir()
	s := &simulator{
		t: t, listen: "127.0.0.1:" + strconv.Itoa(freePorts(t, portsOfSimulator)),
		file: filepath.Join(dir, "sim.json"), ledger: filepath.Join(dir, "ledger.jsonl"),
		client: newHTTPClient(observedMax),
	}
	s.start()
	return s
}

// Ports are chosen below the range that the system uses for outgoing connections.
const (
	portsFrom  = 12_000
	portsTo    = 32_000
	portsTries = 1000
)

// freePorts returns the first of n consecutive free ports.
func freePorts(t testing.TB, n int) (first int) {
	t.Helper()
	random := rand.New(rand.NewPCG(rand.Uint64(), 0)) // different ports at each call
	for range portsTries {
		if first = portsFrom + random.IntN(portsTo-portsFrom-n); areFree(first, n) {
			return first
		}
	}
	t.Fatal("no row of free ports")
	return 0
}

func areFree(first, n int) bool {
	for at := first; at < first+n; at++ {
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(at))
		if err != nil {
			return false
		}
		defer l.Close()
	}
	return true
}

func (s *simulator) start() {
	s.t.Helper()
	_ = os.Remove(s.file)
	s.lives = append(s.lives, time.Now())
	s.process = launch(s.t, patient, nil, "sim", "--quiet-market", "--listen", s.listen, "--out", s.file, "--ledger", s.ledger, "--log-level", "error")
	if !eventually(startMax, func() bool { return s.describe() == nil || !s.process.running() }) || !s.process.running() {
		s.t.Fatalf("the simulator does not start:\n%s", s.process.tail())
	}
}

func (s *simulator) describe() error {
	content, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	var described map[venues.Venue]struct {
		ControlURL string `json:"controlUrl"`
	}
	if err := json.Unmarshal(content, &described); err != nil {
		return err
	}
	s.control = map[venues.Venue]string{}
	for venue, d := range described {
		s.control[venue] = d.ControlURL
	}
	return nil
}

// call calls the control API of a venue. Errors are expected while the simulator is
// stopped.
func (s *simulator) call(venue venues.Venue, method, path string, body any) (answer []byte, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.control[venue]+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	status, answer, err := exchange(s.client, request)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s %s: %d %s", method, path, content, status, answer)
	}
	return answer, err
}

func (s *simulator) fault(venue venues.Venue, f simcore.FaultRequest) {
	s.t.Helper()
	if _, err := s.call(venue, http.MethodPost, "/faults", f); err != nil {
		s.t.Fatal(err)
	}
}

// clearFaults removes the faults of a venue and returns how often each kind has matched.
func (s *simulator) clearFaults(venue venues.Venue) map[string]int {
	s.t.Helper()
	answer, err := s.call(venue, http.MethodGet, "/faults", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var page simcore.FaultPage
	if err := json.Unmarshal(answer, &page); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.call(venue, http.MethodDelete, "/faults", nil); err != nil {
		s.t.Fatal(err)
	}
	struck := map[string]int{}
	for _, f := range page.InjectedFaults {
		struck[string(f.Do)] += f.Applied
	}
	return struck
}

// orders reads the ledger file.
func (s *simulator) orders() []simcore.LedgerOrder {
	s.t.Helper()
	file, err := os.Open(s.ledger)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := simcore.ReadLedger(file)
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

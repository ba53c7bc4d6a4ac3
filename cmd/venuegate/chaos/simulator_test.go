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

// portsOfSimulator is how many ports it counts up from its first.
const portsOfSimulator = 6

// simulator is the simulated venues as a process of their own. It is never a
// variant of the service's source: what it says is the truth that the service
// is held to.
type simulator struct {
	t       testing.TB
	process *process
	listen  string
	// file describes the venues; ledger is what they have accepted.
	file, ledger string
	control      map[venues.Venue]string
	client       *http.Client
	// lives is when each process began.
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

// Rows of ports are looked for below those that the system gives to connections,
// of which a busy machine has thousands.
const (
	portsFrom  = 12_000
	portsTo    = 32_000
	portsTries = 1000
)

// freePorts finds a row of ports that nobody has.
func freePorts(t testing.TB, n int) (first int) {
	t.Helper()
	random := rand.New(rand.NewPCG(rand.Uint64(), 0)) // another row at each call
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

// call uses the control API of a venue. While the simulator is down on purpose
// nothing is lost by an error.
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

// clearFaults removes the faults of a venue and says how often each kind has
// struck.
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
	for _, f := range page.Faults {
		struck[string(f.Do)] += f.Struck
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

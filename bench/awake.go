package bench

import (
	"os/exec"
	"runtime"
)

// keepAwake runs a spinner of idle priority on every processor until stop is called.
// A virtual machine takes an idle processor away, and a request that waits for a disk
// or a peer would include the time of its return. Without chrt nothing is started.
func keepAwake() (stop func()) {
	var spinners []*exec.Cmd
	for range runtime.NumCPU() {
		spinner := exec.Command("chrt", "--idle", "0", "sh", "-c", "while :; do :; done") //nolint:noctx // it is ended by stop
		if spinner.Start() == nil {
			spinners = append(spinners, spinner)
		}
	}
	return func() {
		for _, spinner := range spinners {
			_ = spinner.Process.Kill()
			_ = spinner.Wait()
		}
	}
}

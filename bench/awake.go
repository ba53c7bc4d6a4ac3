package bench

import (
	"os/exec"
	"runtime"
)

// keepAwake gives every processor something to do that yields to everything else.
// On a virtual machine an idle processor is taken away, and a request that waits
// for a disk or a peer would measure how long it takes to come back. Without chrt
// they sleep. stop ends it.
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

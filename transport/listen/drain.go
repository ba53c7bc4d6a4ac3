package listen

import (
	"net"
	"time"
)

// Limits of Drain.
const (
	drainBytesMax = 16 << 20
	drainTimeMax  = 2 * time.Second
	// drainPause: a client that has sent nothing for so long waits for us.
	drainPause = 200 * time.Millisecond
)

// Drain throws away what a client still sends of a request that is refused, before
// it is answered: to close a connection on unread data resets it, and the client
// would never see the answer. It does so for a while only, and nothing if conn is nil.
func Drain(conn net.Conn) {
	if conn == nil {
		return
	}
	end := time.Now().Add(drainTimeMax)
	buffer := make([]byte, 32<<10)
	for total := 0; total < drainBytesMax; {
		pause := time.Now().Add(drainPause)
		if pause.After(end) {
			return
		}
		if err := conn.SetReadDeadline(pause); err != nil {
			return
		}
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		total += n
	}
}

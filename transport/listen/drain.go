package listen

import (
	"net"
	"time"
)

// Limits of Drain.
const (
	drainBytesMax = 16 << 20
	drainTimeMax  = 2 * time.Second
	// drainPause is how long a client sends nothing when it waits for the response.
	drainPause = 200 * time.Millisecond
)

// Drain discards the rest of a rejected request before it is answered: closing a
// connection with unread data resets it, and the client would not get the response.
// It stops after a limited time and number of bytes. A nil conn is ignored.
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

package webhook_test

import (
	"io"
	"log"
	"time"
)

// patience bounds what must come to an end on the slowest machine; only a test that
// fails spends it.
const patience = time.Minute

// quiet is for servers whose clients are meant to fail.
var quiet = log.New(io.Discard, "", 0)

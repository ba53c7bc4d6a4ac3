package webhook_test

import (
	"io"
	"log"
)

// quiet is for servers whose clients are meant to fail.
var quiet = log.New(io.Discard, "", 0)

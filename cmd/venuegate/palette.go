package main

import (
	"io"
	"strings"
)

// palette colours text on a terminal; the zero value leaves text as it is.
type palette struct{ on bool }

// newPalette returns the palette for a destination. NO_COLOR is honoured
// (https://no-color.org).
func newPalette(w io.Writer, environ []string) palette {
	if !isTerminal(w) {
		return palette{}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb" {
			return palette{}
		}
	}
	return palette{on: true}
}

// Sequences of ANSI X3.64.
const (
	ansiReset  = "\x1b[0m"
	ansiBold   = "\x1b[1m"
	ansiDim    = "\x1b[2m"
	ansiRed    = "\x1b[31m"
	ansiGreen  = "\x1b[32m"
	ansiYellow = "\x1b[33m"
)

func (p palette) text(sequence, text string) string {
	if !p.on || sequence == "" || text == "" {
		return text
	}
	return sequence + text + ansiReset
}

// stateColours has the colour of the cells that a person looks for.
var stateColours = map[string]string{
	"removed": ansiDim, "disabled": ansiRed, "halted": ansiRed, "locked": ansiRed, "undelivered": ansiRed, "failed": ansiRed,
	"paused": ansiYellow, "test": ansiYellow, "pending": ansiYellow, "warning": ansiYellow,
	"enabled": ansiGreen, "active": ansiGreen, "trading": ansiGreen, "live": ansiGreen, "delivered": ansiGreen, "armed": ansiGreen, "ok": ansiGreen,
}

// cell colours a cell of a table.
func (p palette) cell(text string, head bool) string {
	if head {
		return p.text(ansiBold, text)
	}
	first, _, _ := strings.Cut(text, " ")
	return p.text(stateColours[strings.TrimRight(first, ":;")], text)
}

// Package recording is what every simulated venue needs to play a recording of
// the real one: a reader of files of lines, gzipped or plain, and the book that
// the recorded messages make. What a line means is the venue's affair.
package recording

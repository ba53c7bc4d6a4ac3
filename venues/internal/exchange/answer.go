package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http/httpguts"
)

// interimMax bounds the interim answers (1xx) before an answer.
const interimMax = 5

// Errors of an answer. They do not quote it, because it may repeat a signature.
var (
	errMalformed = errors.New("malformed answer")
	errHeadSize  = errors.New("the header of the answer is too long")
	errInterim   = errors.New("too many interim answers")
)

// head is the beginning of an answer.
type head struct {
	status int
	header http.Header
	// closes: the venue closes the connection after the answer.
	closes bool
}

// decode reads a complete answer from the stream. keep reports whether another exchange can
// follow on it.
func (x *codec) decode(stream io.Reader, bodyBytesMax int) (answer *Answer, keep bool, err error) {
	x.reader.Reset(stream)
	var h head
	for n := 0; h.status < http.StatusContinue || h.status < http.StatusOK && h.status != http.StatusSwitchingProtocols; n++ {
		if n > interimMax {
			return nil, false, errInterim
		}
		if h, err = x.decodeHead(); err != nil {
			return nil, false, err
		}
	}
	// A body without a length ends with the connection.
	framed := x.response.Header.ContentLength() != -2
	body, err := x.decodeBody(h, bodyBytesMax)
	if err != nil {
		return nil, false, err
	}
	keep = (framed || !hasBody(h.status)) && !h.closes && h.status != http.StatusSwitchingProtocols && x.reader.Buffered() == 0
	return &Answer{Status: h.status, Header: h.header, Body: body}, keep, nil
}

// decodeHead reads a status line and a header. Both this package and fasthttp, which
// decides over the length of the body, must accept them.
func (x *codec) decodeHead() (head, error) {
	text, err := x.peekHead()
	if err != nil {
		return head{}, err
	}
	h, err := parseHead(string(text))
	if err != nil {
		return head{}, err
	}
	if x.response.Header.Read(x.reader) != nil || x.response.Header.StatusCode() != h.status {
		return head{}, errMalformed
	}
	return h, nil
}

// peekHead waits for the whole head and returns it without the empty line.
func (x *codec) peekHead() ([]byte, error) {
	const start, end = "HTTP/1.", "\r\n\r\n"
	searched := 0
	for {
		text, _ := x.reader.Peek(x.reader.Buffered())
		if n := min(len(text), len(start)); string(text[:n]) != start[:n] {
			return nil, errMalformed
		}
		if i := bytes.Index(text[searched:], []byte(end)); i >= 0 {
			return text[:searched+i+len("\r\n")], nil
		}
		searched = max(0, len(text)-len(end)+1)
		switch _, err := x.reader.Peek(len(text) + 1); {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errHeadSize
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
	}
}

// parseHead parses a head whose lines end with CRLF.
func parseHead(text string) (head, error) {
	line, lines, _ := strings.Cut(text, "\r\n")
	status, ok := parseStatus(line)
	if !ok {
		return head{}, errMalformed
	}
	header, ok := parseHeader(lines)
	if !ok {
		return head{}, errMalformed
	}
	closes := line[:len("HTTP/1.1")] != "HTTP/1.1" || httpguts.HeaderValuesContainsToken(header["Connection"], "close")
	return head{status, header, closes}, nil
}

// parseStatus returns the status of a line such as "HTTP/1.1 200 OK".
func parseStatus(line string) (status int, ok bool) {
	const version = "HTTP/1.x "
	if len(line) < len(version)+3 || line[7] != '0' && line[7] != '1' || line[8] != ' ' || strings.ContainsAny(line, "\r\n") {
		return 0, false
	}
	code, reason := line[len(version):len(version)+3], line[len(version)+3:]
	for i := range len(code) {
		if code[i] < '0' || code[i] > '9' {
			return 0, false
		}
		status = status*10 + int(code[i]-'0')
	}
	return status, status >= http.StatusContinue && (reason == "" || reason[0] == ' ')
}

// parseHeader parses the lines of a header. The values share one slice.
func parseHeader(lines string) (http.Header, bool) {
	n := strings.Count(lines, "\r\n")
	header, values := make(http.Header, n), make([]string, n)
	for lines != "" {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, false
		}
		key, value := textproto.CanonicalMIMEHeaderKey(name), textproto.TrimString(value)
		if earlier := header[key]; earlier != nil {
			header[key] = append(earlier, value)
			continue
		}
		values[0] = value
		header[key], values = values[:1:1], values[1:]
	}
	return header, true
}

// hasBody reports whether answers with the status have a body.
func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// decodeBody reads the body and, as net/http does, decodes gzip.
func (x *codec) decodeBody(h head, bytesMax int) (body []byte, err error) {
	r := &x.response
	if !hasBody(h.status) {
		return nil, nil
	}
	chunked := r.Header.ContentLength() == -1
	if err = r.ReadBody(x.reader, bytesMax); err == nil && chunked {
		err = r.Header.ReadTrailer(x.reader)
	}
	if err == nil && len(r.Body()) > 0 && strings.EqualFold(h.header.Get("Content-Encoding"), "gzip") {
		h.header.Del("Content-Encoding")
		h.header.Del("Content-Length")
		body, err = r.BodyGunzipWithLimit(bytesMax)
	} else {
		body = bytes.Clone(r.Body())
	}
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return nil, fmt.Errorf("the answer is longer than %d bytes", bytesMax)
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	}
	return body, err
}

package exchange

import (
	"bufio"
	"fmt"
	"net/http"
	"net/textproto"
	"sync"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http/httpguts"
)

// codec encodes the request and decodes the answer of one exchange at a time. The buffers
// belong to it and not to a connection, because kept connections outnumber exchanges.
type codec struct {
	header  fasthttp.RequestHeader
	request []byte // as it goes over the wire

	response fasthttp.Response
	reader   *bufio.Reader
}

// codecs is a free list of codecs. The zero value lacks headBytesMax.
type codecs struct {
	headBytesMax int
	free         sync.Pool
}

func (c *codecs) get() *codec {
	if x, ok := c.free.Get().(*codec); ok {
		return x
	}
	return &codec{reader: bufio.NewReaderSize(nil, c.headBytesMax)}
}

func (c *codecs) put(x *codec) {
	x.reader.Reset(nil)
	x.response.Reset()
	c.free.Put(x)
}

// encode encodes a request. It refuses what would be more or another request on the wire.
func (c *Client) encode(x *codec, r Request) error {
	h := &x.header
	h.Reset()
	h.SetNoDefaultContentType(true)
	if err := c.setTarget(h, r); err != nil {
		return err
	}
	h.Set("Accept-Encoding", "gzip")
	if r.ContentType != "" {
		if err := setHeader(h, "Content-Type", r.ContentType); err != nil {
			return err
		}
	}
	for name, value := range r.Header {
		if err := setHeader(h, name, value); err != nil {
			return err
		}
	}
	h.SetUserAgent(c.options.UserAgent)
	if r.Body != "" || r.Method == http.MethodPost || r.Method == http.MethodPut {
		h.SetContentLength(len(r.Body))
	}
	x.request = append(h.AppendBytes(x.request[:0]), r.Body...)
	return nil
}

func (c *Client) setTarget(h *fasthttp.RequestHeader, r Request) error {
	target := c.prefix + r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	if !httpguts.ValidHeaderFieldName(r.Method) || target == "" || target[0] != '/' {
		return fmt.Errorf("%s request of %q: invalid method or path", r.Method, r.Path)
	}
	for i := range len(target) {
		if target[i] <= ' ' || target[i] >= 0x7f {
			return fmt.Errorf("%s request of %q: invalid character in the path or query", r.Method, r.Path)
		}
	}
	h.SetMethod(r.Method)
	h.SetRequestURI(target)
	h.SetHost(c.host)
	return nil
}

// setHeader sets a header. Values may be secrets and are not part of the error.
func setHeader(h *fasthttp.RequestHeader, name, value string) error {
	if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("invalid name or value of header %q", name)
	}
	h.Set(name, textproto.TrimString(value))
	return nil
}

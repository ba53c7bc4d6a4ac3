package recordapi

import (
	"bufio"
	"context"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"
)

// Timeout bounds one call, requests to a venue included.
const Timeout = 20 * time.Second

// Server executes calls.
type Server struct {
	// Context is cancelled when the server ends, and then its calls end.
	Context context.Context
	Log     *zap.Logger
}

// Stream responds with the output of write, of any length. An error of write breaks
// the connection, so that a partial response does not look complete.
func (s *Server) Stream(c *fiber.Ctx, media string, write func(io.Writer) error) {
	reader, writer := io.Pipe()
	// The library closes the reader when the client disconnects. A client that does
	// not read would keep the source open, so the end of the server closes the pipe.
	stop := context.AfterFunc(s.Context, func() { writer.CloseWithError(context.Cause(s.Context)) })
	go func() {
		defer stop()
		writer.CloseWithError(write(writer))
	}()
	c.Set(fiber.HeaderContentType, media)
	c.Context().SetBodyStream(reader, -1)
}

// streamRows is Stream for a function that writes many small rows. It logs its error.
func (s *Server) streamRows(c *fiber.Ctx, media string, write func(io.Writer) error) {
	path := c.Path()
	s.Stream(c, media, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		err := write(buffer)
		if err == nil {
			err = buffer.Flush()
		}
		if err != nil {
			s.Log.Warn("export failed", zap.String("path", path), zap.Error(err))
		}
		return err
	})
}

package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func (s *Server) backup(c *fiber.Ctx) error {
	s.stream(c, fiber.MIMEOctetStream, func(w io.Writer) error { return s.Backup(s.calls, w) })
	return nil
}

// stream responds with the output of write, of any length. An error of write breaks
// the connection, so that a partial response does not look complete.
func (s *Server) stream(c *fiber.Ctx, media string, write func(io.Writer) error) {
	reader, writer := io.Pipe()
	// The library closes the reader when the client disconnects. A client that does
	// not read would keep the source open, so Shutdown closes the pipe.
	stop := context.AfterFunc(s.calls, func() { writer.CloseWithError(context.Cause(s.calls)) })
	go func() {
		defer stop()
		writer.CloseWithError(write(writer))
	}()
	c.Set(fiber.HeaderContentType, media)
	c.Context().SetBodyStream(reader, -1)
}

// exportMedia are the media types of the formats of an export.
var exportMedia = map[string]string{registry.FormatLines: "application/jsonl", registry.FormatCSV: "text/csv; charset=utf-8"}

func (s *Server) export(c *fiber.Ctx) error {
	q := parseQuery(c, append(filterNames(), "format")...)
	f, format := journalFilter(q), api.QueryOneOf(q, "format", registry.FormatLines, registry.FormatLines, registry.FormatCSV)
	if err := q.Err(); err != nil {
		return err
	}
	write, err := s.Registry.Journal.Export(s.calls, f, format)
	if err != nil {
		return err
	}
	s.stream(c, exportMedia[format], func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		err := write(buffered)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			s.Log.Warn("journal export failed", zap.Error(err))
		}
		return err
	})
	return nil
}

// mediaWorkbook is the type of an .xlsx file.
const mediaWorkbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// file sends a file of an endpoint.
func (s *Server) file(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(s.calls, callTimeout)
	defer cancel()
	name, err := url.PathUnescape(c.Params("name"))
	if err != nil {
		return venues.Errorf(venues.CodeNotFound, "the endpoint has no such file")
	}
	file, err := s.Registry.Files.Open(ctx, c.Params("id"), name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	c.Set(fiber.HeaderContentType, mediaWorkbook)
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name)) // no name needs escaping
	c.Context().SetBodyStream(file, int(info.Size()))                                   // which closes it
	return nil
}

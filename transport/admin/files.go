package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/venues"
)

// Files are what endpoints of kind file write. What follows a removed endpoint is
// kept, and can be read still.
type Files interface {
	// Files lists those of an endpoint, oldest first.
	Files(ctx context.Context, to persistence.Endpoint) ([]fs.FileInfo, error)
	// Open opens one of them by its name; fs.ErrNotExist if it is none.
	Open(ctx context.Context, to persistence.Endpoint, name string) (*os.File, error)
}

// File of an endpoint.
type File struct {
	Name      string      `json:"name"`
	SizeBytes int64       `json:"sizeBytes"`
	ChangedAt venues.Time `json:"changedAt"`
}

// mediaWorkbook is the type of an .xlsx file.
const mediaWorkbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// EndpointFiles lists the files of an endpoint, oldest first.
func (r *Registry) EndpointFiles(ctx context.Context, id string) ([]File, error) {
	record, err := r.fileEndpoint(ctx, id)
	if err != nil {
		return nil, err
	}
	found, err := r.Files.Files(ctx, record)
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", id, err)
	}
	list := make([]File, len(found))
	for i, f := range found {
		list[i] = File{f.Name(), f.Size(), venues.At(f.ModTime())}
	}
	return list, nil
}

// OpenEndpointFile opens one of them.
func (r *Registry) OpenEndpointFile(ctx context.Context, id, name string) (*os.File, error) {
	record, err := r.fileEndpoint(ctx, id)
	if err != nil {
		return nil, err
	}
	file, err := r.Files.Open(ctx, record, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, venues.Errorf(venues.CodeNotFound, "the endpoint has no such file")
	case err != nil:
		return nil, fmt.Errorf("open a file of %s: %w", id, err)
	}
	return file, nil
}

func (r *Registry) fileEndpoint(ctx context.Context, id string) (persistence.Endpoint, error) {
	record, err := r.endpoints().findAny(ctx, func(e *persistence.Endpoint) bool { return e.ID == id })
	if err == nil && record.Kind != persistence.EndpointFile {
		err = venues.Errorf(venues.CodeInvalidRequest, "an endpoint of kind %s has no files here", record.Kind)
	}
	return record, err
}

// file answers with one file.
func (s *Server) file(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(s.calls, callTimeout)
	defer cancel()
	name, err := url.PathUnescape(c.Params("name"))
	if err != nil {
		return venues.Errorf(venues.CodeNotFound, "the endpoint has no such file")
	}
	file, err := s.Registry.OpenEndpointFile(ctx, c.Params("id"), name)
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

package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"venuegate/persistence"
	"venuegate/venues"
)

// FileStore reads the files that endpoints of kind file write. They are kept when
// the endpoint is removed.
type FileStore interface {
	// Files lists the files of an endpoint, oldest first.
	Files(ctx context.Context, to persistence.Endpoint) ([]fs.FileInfo, error)
	// Open opens a file by its name. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, to persistence.Endpoint, name string) (*os.File, error)
}

// Files reads the files of endpoints, removed ones included.
type Files struct {
	endpoints *Endpoints
	store     FileStore
}

// File describes a file of an endpoint.
type File struct {
	Name      string      `json:"name"`
	SizeBytes int64       `json:"sizeBytes"`
	ChangedAt venues.Time `json:"changedAt"`
}

// List returns the files of an endpoint, oldest first.
func (f *Files) List(ctx context.Context, endpoint string) ([]File, error) {
	record, err := f.endpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	found, err := f.store.Files(ctx, record)
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", endpoint, err)
	}
	files := make([]File, len(found))
	for i, info := range found {
		files[i] = File{info.Name(), info.Size(), venues.At(info.ModTime())}
	}
	return files, nil
}

// Open opens a file of an endpoint.
func (f *Files) Open(ctx context.Context, endpoint, name string) (*os.File, error) {
	record, err := f.endpoint(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	file, err := f.store.Open(ctx, record, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, venues.Errorf(venues.CodeNotFound, "the endpoint has no such file")
	case err != nil:
		return nil, fmt.Errorf("open a file of %s: %w", endpoint, err)
	}
	return file, nil
}

func (f *Files) endpoint(ctx context.Context, id string) (persistence.Endpoint, error) {
	record, err := f.endpoints.records().findAny(ctx, func(e *persistence.Endpoint) bool { return e.ID == id })
	if err == nil && record.Kind != persistence.EndpointFile {
		err = venues.Errorf(venues.CodeInvalidRequest, "an endpoint of kind %s has no files here", record.Kind)
	}
	return record, err
}

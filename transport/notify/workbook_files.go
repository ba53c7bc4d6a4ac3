package notify

import (
	"context"
	"io/fs"
	"os"
	"slices"

	"venuegate/persistence"
)

// Files lists the files of an endpoint, oldest first. There is none before the first
// trade.
func (w *Workbook) Files(ctx context.Context, to persistence.Endpoint) (list []fs.FileInfo, err error) {
	err = w.withFiles(ctx, to, func(s series) error {
		numbers, err := s.numbers()
		if err != nil {
			return err
		}
		for _, n := range slices.Backward(numbers) {
			info, err := s.root.Stat(s.name(n))
			if err != nil {
				return err
			}
			list = append(list, info)
		}
		return nil
	})
	return list, err
}

// Open opens a file that Files lists; fs.ErrNotExist if there is none of the name.
// Rows that are added later are not in the opened file.
func (w *Workbook) Open(ctx context.Context, to persistence.Endpoint, name string) (file *os.File, err error) {
	err = w.withFiles(ctx, to, func(s series) error {
		numbers, err := s.numbers()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(numbers, func(n int) bool { return s.name(n) == name }) {
			return fs.ErrNotExist
		}
		file, err = s.root.Open(name)
		return err
	})
	return file, err
}

package badgerstore

import (
	"fmt"
	"os"
	"path/filepath"
)

// logPatterns are the files that badger makes empty and gives a size afterwards.
var logPatterns = []string{walPattern, "*.vlog"}

// removeUnborn removes logs that are empty: a kill has come between their making
// and their first byte. badger takes one that it finds for a new file, and fails.
func removeUnborn(database string) error {
	for _, pattern := range logPatterns {
		logs, err := filepath.Glob(filepath.Join(database, pattern))
		if err != nil {
			return err
		}
		for _, path := range logs {
			info, err := os.Lstat(path)
			if err != nil {
				return fmt.Errorf("look at a log: %w", err)
			}
			if info.Mode().IsRegular() && info.Size() == 0 {
				if err := os.Remove(path); err != nil {
					return fmt.Errorf("remove an empty log: %w", err)
				}
			}
		}
	}
	return nil
}

package main

import (
	"io"

	"go.yaml.in/yaml/v3"
)

// Print writes the configuration as a YAML file that would set it. Secrets are
// of type venues.Secret and hide themselves; no other field may hold one.
func (c *Config) Print(w io.Writer) error {
	shown := *c
	shown.KeyFile = c.keyFile()
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(shown); err != nil {
		return err
	}
	return encoder.Close()
}

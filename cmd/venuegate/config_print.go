package main

import (
	"io"

	"go.yaml.in/yaml/v3"
)

// Print writes the configuration as YAML that LoadConfig reads. Secrets must be of
// type venues.Secret, which prints redacted.
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

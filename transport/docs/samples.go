package docs

import (
	_ "embed"
	"fmt"
	"strings"

	"venuegate/transport/api"
	"venuegate/transport/clients/python"
	"venuegate/transport/clients/typescript"
)

//go:embed samples/curl.sh
var curlSamples string

// sample is a region of an example that a test runs.
type sample struct {
	// Language is the name for readers, Fence the one for highlighting.
	Language, Fence string
	Code            string
}

// readSamples returns the regions of the examples by their names, which are those of
// operations or of what the pages show, with one sample for each language that has it.
func readSamples(headerPrefix string) (map[string][]sample, error) {
	samples := map[string][]sample{}
	for _, file := range []struct{ language, fence, text string }{
		{"curl", "bash", api.WithHeaderPrefix(curlSamples, headerPrefix)},
		{"Python", "python", python.Samples},
		{"TypeScript", "typescript", typescript.Samples},
	} {
		regions, err := readRegions(file.text)
		if err != nil {
			return nil, fmt.Errorf("samples in %s: %w", file.language, err)
		}
		for name, code := range regions {
			samples[name] = append(samples[name], sample{file.language, file.fence, code})
		}
	}
	return samples, nil
}

// readRegions returns the text between each comment `region NAME` and the next comment
// `endregion`, without the indentation that its lines have in common.
func readRegions(text string) (map[string]string, error) {
	regions := map[string]string{}
	name := ""
	var code strings.Builder
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.TrimLeft(line, " \t#/"))
		switch {
		case len(words) == 2 && words[0] == "region":
			if _, known := regions[words[1]]; known || name != "" {
				return nil, fmt.Errorf("region %s begins twice or in another", words[1])
			}
			name = words[1]
			code.Reset()
		case len(words) == 1 && words[0] == "endregion" && name != "":
			regions[name], name = dedent(code.String()), ""
		case name != "":
			code.WriteString(line)
		}
	}
	if name != "" {
		return nil, fmt.Errorf("region %s has no end", name)
	}
	return regions, nil
}

func dedent(text string) string {
	lines := strings.Split(text, "\n")
	least := -1
	for _, line := range lines {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); line != "" && (least < 0 || indent < least) {
			least = indent
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(least, 0), len(line)):]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

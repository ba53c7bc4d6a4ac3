package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
	yamlv3 "go.yaml.in/yaml/v3"

	"venuegate/venues"
)

const envPrefix = "VENUEGATE_"

// foreignEnv are variables with the prefix that are not settings.
var foreignEnv = map[string]string{
	"VENUEGATE_FIRST_SEED": "the first seed of the simulation",
	"VENUEGATE_FIXTURES":   "the directory of recorded venue payloads",
	"VENUEGATE_KEY":        "the API key of `venuegate watch` and `venuegate export`",
	"VENUEGATE_SEEDS":      "the number of seeds of the simulation",
	"VENUEGATE_STATES":     "the number of states of each exploration of the account",
}

// Sources are the sources of a configuration.
type Sources struct {
	// File is a YAML file; empty means none.
	File string
	// Environ has the form of os.Environ.
	Environ []string
	// Flags are the flags of the command line; FlagKeys maps their names to keys.
	// Flags without a key belong to the command.
	Flags    *pflag.FlagSet
	FlagKeys map[string]string
}

// ConfigError reports the invalid keys of a configuration. The process ends with
// status 2.
type ConfigError struct{ Keys []InvalidKey }

// InvalidKey is one key that is unknown or whose value is invalid.
type InvalidKey struct {
	// Key is empty if it is unknown; Problem names it then.
	Key string
	// Source is the file, variable or flag that set it; empty for a default.
	Source  string
	Problem string
}

func (e *ConfigError) Error() string {
	lines := make([]string, 0, len(e.Keys))
	for _, f := range e.Keys {
		line := "configuration"
		if f.Key != "" {
			line += ": " + f.Key
		}
		if f.Source != "" {
			line += " (" + f.Source + ")"
		}
		lines = append(lines, line+": "+f.Problem)
	}
	return strings.Join(lines, "\n")
}

// LoadConfig reads and validates the configuration. It returns a *ConfigError, or
// an error of reading the sources.
func LoadConfig(s Sources) (Config, error) {
	l, err := newLoader()
	if err != nil {
		return Config{}, err
	}
	if err := l.loadAll(s); err != nil {
		return Config{}, err
	}
	config, err := l.decode()
	if err != nil {
		return Config{}, err
	}
	l.keepNamedVenues(&config)
	if invalid := config.invalidKeys(); len(invalid) > 0 {
		return Config{}, l.withSources(invalid)
	}
	return config, nil
}

// keepNamedVenues drops the default venues if the sources configure any venue.
func (l *loader) keepNamedVenues(config *Config) {
	named := map[venues.Venue]VenueConfig{}
	for venue, v := range config.Venues {
		for key := range l.origins {
			if strings.HasPrefix(key, "venues."+string(venue)+".") {
				named[venue] = v
			}
		}
	}
	if len(named) > 0 {
		config.Venues = named
	}
}

// loader merges the sources and records which one set each key.
type loader struct {
	merged  *koanf.Koanf
	known   map[string]bool
	origins map[string]string
	unknown []InvalidKey
}

// newLoader returns a loader with the defaults, whose keys are the known ones.
func newLoader() (*loader, error) {
	defaults, err := settingsByKey(DefaultConfig())
	if err != nil {
		return nil, err
	}
	l := &loader{merged: defaults, known: map[string]bool{}, origins: map[string]string{}}
	for _, key := range l.merged.Keys() {
		l.known[key] = true
	}
	return l, nil
}

// settingsByKey returns the values of a configuration by their keys.
func settingsByKey(c Config) (*koanf.Koanf, error) {
	text, err := yamlv3.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	keys, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	values := koanf.New(".")
	if err := values.Load(confmap.Provider(keys, ""), nil); err != nil {
		return nil, fmt.Errorf("load configuration: %w", err)
	}
	return values, nil
}

func (l *loader) loadAll(s Sources) error {
	if s.File != "" {
		layer := koanf.New(".")
		if err := layer.Load(file.Provider(s.File), yaml.Parser()); err != nil {
			return &ConfigError{[]InvalidKey{{Key: "file " + s.File, Problem: err.Error()}}}
		}
		l.add(layer, func(string) string { return s.File })
	}
	if err := l.loadEnviron(s.Environ); err != nil {
		return err
	}
	if s.Flags != nil {
		if err := l.loadFlags(s); err != nil {
			return err
		}
	}
	if len(l.unknown) > 0 {
		return &ConfigError{l.unknown}
	}
	return nil
}

func (l *loader) loadEnviron(environ []string) error {
	keys := make(map[string]string, len(l.known))
	for key := range l.known {
		keys[envName(key)] = key
	}
	layer := koanf.New(".")
	err := layer.Load(env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if _, foreign := foreignEnv[name]; foreign {
				return "", nil
			}
			key, known := keys[name]
			if !known {
				l.unknown = append(l.unknown, InvalidKey{Problem: "unknown variable `" + name + "`" + didYouMean(name, slices.Sorted(maps.Keys(keys)))})
				return "", nil
			}
			return key, value
		},
	}), nil)
	if err != nil {
		return fmt.Errorf("read environment: %w", err)
	}
	l.add(layer, envName)
	return nil
}

// envName returns the variable of a key: log.level is VENUEGATE_LOG_LEVEL,
// venues.binance.restUrl is VENUEGATE_VENUES_BINANCE_REST_URL.
func envName(key string) string {
	var name strings.Builder
	name.WriteString(envPrefix)
	for _, r := range key {
		switch {
		case r == '.':
			name.WriteByte('_')
		case unicode.IsUpper(r):
			name.WriteByte('_')
			name.WriteRune(r)
		default:
			name.WriteRune(unicode.ToUpper(r))
		}
	}
	return name.String()
}

func (l *loader) loadFlags(s Sources) error {
	layer := koanf.New(".")
	flags := map[string]string{}
	err := layer.Load(posflag.ProviderWithFlag(s.Flags, ".", nil, func(f *pflag.Flag) (string, any) {
		key := s.FlagKeys[f.Name]
		flags[key] = "--" + f.Name
		return key, posflag.FlagVal(s.Flags, f)
	}), nil)
	if err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	l.add(layer, func(key string) string { return flags[key] })
	return nil
}

// add merges a layer over the previous ones. source returns where a key was set.
func (l *loader) add(layer *koanf.Koanf, source func(key string) string) {
	for _, key := range layer.Keys() {
		// An empty section, such as `log:` without keys, sets nothing.
		section := slices.ContainsFunc(slices.Collect(maps.Keys(l.known)), func(k string) bool { return strings.HasPrefix(k, key+".") })
		if section && layer.Get(key) == nil {
			layer.Delete(key)
			continue
		}
		if !l.known[key] {
			l.unknown = append(l.unknown, InvalidKey{Source: source(key), Problem: l.unknownKey(key)})
			continue
		}
		l.origins[key] = source(key)
	}
	// Merging plain maps cannot fail without StrictMerge.
	_ = l.merged.Merge(layer)
}

func (l *loader) decode() (Config, error) {
	var config Config
	err := l.merged.UnmarshalWithConf("", &config, koanf.UnmarshalConf{
		DecoderConfig: &mapstructure.DecoderConfig{
			TagName:          "yaml",
			ErrorUnused:      true,
			WeaklyTypedInput: true,
			DecodeHook: mapstructure.ComposeDecodeHookFunc(
				mapstructure.StringToTimeDurationHookFunc(),
				mapstructure.StringToWeakSliceHookFunc(","),
			),
		},
	})
	if err != nil {
		invalid := decodeProblems(err)
		for i, f := range invalid {
			invalid[i].Problem = l.valueProblem(f.Key, f.Problem)
		}
		return Config{}, l.withSources(invalid)
	}
	return config, nil
}

// decodeProblems splits the decoder's error into one problem per key.
func decodeProblems(err error) []InvalidKey {
	switch e := err.(type) { //nolint:errorlint // the tree is walked, not searched
	case interface{ Unwrap() []error }:
		invalid := make([]InvalidKey, 0, len(e.Unwrap()))
		for _, each := range e.Unwrap() {
			invalid = append(invalid, decodeProblems(each)...)
		}
		return invalid
	case *mapstructure.DecodeError:
		if _, nested := errors.AsType[*mapstructure.DecodeError](e.Unwrap()); nested {
			return decodeProblems(e.Unwrap())
		}
		key := strings.NewReplacer("[", ".", "]", "").Replace(e.Name())
		return []InvalidKey{{Key: key, Problem: e.Unwrap().Error()}}
	case interface{ Unwrap() error }:
		return decodeProblems(e.Unwrap())
	default:
		return []InvalidKey{{Key: "values", Problem: err.Error()}}
	}
}

func (l *loader) withSources(invalid []InvalidKey) error {
	for i := range invalid {
		key := invalid[i].Key
		for key != "" && l.origins[key] == "" { // an entry of a list
			key = key[:max(0, strings.LastIndex(key, "."))]
		}
		invalid[i].Source = l.origins[key]
	}
	return &ConfigError{invalid}
}

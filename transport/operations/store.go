package operations

import "venuegate/venues"

// Store is the state of the store.
type Store struct {
	// Ready is false while commits are rejected. Reason says why, or that tables are still
	// being checked.
	Ready     bool    `json:"ready"`
	Reason    *string `json:"reason"`
	Bytes     int64   `json:"bytes"`
	FreeBytes int64   `json:"freeBytes"`
	Commits   Commits `json:"commits"`
	// LastBackupAt is when the last backup was written to its end; null if that is not known.
	LastBackupAt venues.Time `json:"lastBackupAt"`
	// KeyFingerprint identifies the key that seals secrets.
	KeyFingerprint string `json:"keyFingerprint"`
}

// Commits are the durations of the newest groups of commits.
type Commits struct {
	Groups int   `json:"groups"`
	P50    int64 `json:"p50Us"`
	P99    int64 `json:"p99Us"`
	Max    int64 `json:"maxUs"`
}

// Config is the configuration of the service.
type Config struct {
	Version   string        `json:"version"`
	StartedAt venues.Time   `json:"startedAt"`
	Items     []ConfigValue `json:"items"`
}

// ConfigValue is one key with its value, as text. Secrets are redacted.
type ConfigValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Default is the value without configuration.
	Default string `json:"default"`
}

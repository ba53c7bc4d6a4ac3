package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	yamlv3 "go.yaml.in/yaml/v3"
)

// configName is the name of the configuration that init writes.
const configName = "venuegate.yaml"

func newInitCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "Write " + configName + " with every setting, its default and what it does", Args: namedArgs,
		Long: "Writes " + configName + " to the current directory, with every setting, its default and\nwhat it does. A file that exists is left as it is.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := commentedConfig()
			if err != nil {
				return err
			}
			file, err := os.OpenFile(configName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists already and was left as it is", configName)
			}
			if err != nil {
				return err
			}
			_, err = file.Write(text)
			if err := errors.Join(err, file.Close()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has the defaults. Change it, then: venuegate serve --config %s\n", configName, configName)
			return nil
		},
	}
}

// commentedConfig returns the defaults as YAML with a comment on each setting.
func commentedConfig() ([]byte, error) {
	var root yamlv3.Node
	if err := root.Encode(DefaultConfig()); err != nil {
		return nil, err
	}
	comment(&root, "")
	var text bytes.Buffer
	text.WriteString("# Every setting with its default. A variable such as VENUEGATE_LOG_LEVEL overrides\n# log.level, a flag overrides both. Remove what you do not change.\n\n")
	encoder := yamlv3.NewEncoder(&text)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(&root), encoder.Close())
	return text.Bytes(), err
}

// comment adds the comments of the keys in a section. Those of a venue are the same for all,
// and are added to the first one.
func comment(section *yamlv3.Node, path string) {
	for i := 0; i+1 < len(section.Content); i += 2 {
		name, value := section.Content[i], section.Content[i+1]
		key := path + name.Value
		if path == "venues." {
			key = "venues.*"
			if i > 0 {
				continue
			}
		}
		name.HeadComment = configComments[key]
		if value.Kind == yamlv3.MappingNode {
			comment(value, key+".")
		}
	}
}

// configComments has the comments of the keys and sections of the configuration. Config has
// their exact meaning.
var configComments = map[string]string{
	"listen":                      "Address of the API. Other than on loopback it needs tls or behindProxy.",
	"publicUrl":                   "Address under which clients reach it, such as https://trade.example.com; empty: that of listen.",
	"adminListen":                 "Loopback address of metrics, health, profiles and administration.",
	"hosts":                       "Host names under which clients call the API, beside those of listen, publicUrl and the certificate.",
	"data":                        "Directory of all state. One process at a time may use it.",
	"keyFile":                     "File of the key that seals credentials, outside of data; empty: data with the suffix .key.",
	"tls":                         "Certificate of the API, both files or neither.",
	"behindProxy":                 "A proxy terminates TLS.",
	"trustedProxies":              "Addresses or prefixes of proxies whose X-Forwarded-For names the client.",
	"headerPrefix":                "Prefix of the headers of signals and events.",
	"log":                         "Log on standard error: json or console; debug, info, warn or error.",
	"venues":                      "Venues that are connected. Leave out those that you do not use.",
	"venues.*.environment":        "Preset of the venue's hosts, such as live, testnet or demo; sim needs the addresses of a simulator.",
	"venues.*.restUrl":            "Addresses that replace those of the preset.",
	"venues.*.orderEntry":         "How orders are sent: rest, or websocket over a kept connection while there is one.",
	"venues.*.allowWithdrawal":    "Accept keys that may withdraw money.",
	"limits":                      "Bounds of the connections of this process.",
	"limits.connectionsPerSource": "Of one address; 0: 200, and no bound with trustedProxies.",
	"streams":                     "The stream under /v1/stream.",
	"streams.origins":             "Origins whose pages may open it in a browser, such as https://app.example.com; * is every origin.",
	"streams.compression":         "Offer permessage-deflate.",
	"cors":                        "Origins whose pages may call the API in a browser.",
	"retention":                   "How long records are kept. Closed orders and fills are then moved to the directory archive in data; 0s keeps them.",
	"protection":                  "What happens to a position whose stop loss or take profit is not open at its venue.",
	"protection.alarmAfter":       "Time until an alert.",
	"protection.closeAfter":       "Time until the position is closed, where unprotected is close; keep retries without limit.",
	"delivery":                    "Delivery of events to endpoints: attempts, and the waits after failed ones.",
	"delivery.allow":              "Private addresses or prefixes that endpoints may resolve to.",
	"notify":                      "Base addresses of the chat and spreadsheet APIs; empty: the public ones.",
	"tracing":                     "Address of an OpenTelemetry collector over HTTP, such as http://127.0.0.1:4318; empty exports nothing.",
	"console":                     "Web console, at both listeners.",
	"console.url":                 "Address at which users open it; empty: publicUrl.",
	"console.idle":                "Time without a call after which a user is signed out; lifetime: at the latest.",
	"console.requireTotp":         "Demand a second step: auto (unless it is opened over loopback), always or never.",
	"demo":                        "Serve simulated venues, with a customer and keys for them.",
	"sim":                         "File written by venuegate sim --out: the demo uses the venues that it describes.",
}

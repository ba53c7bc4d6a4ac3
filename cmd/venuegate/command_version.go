package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"venuegate/transport/console/web"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of the program and of its console", Args: namedArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprint(cmd.OutOrStdout(), versionText())
		},
	}
}

// versionText names the version, and the digest of the sources of the console's pages.
func versionText() string {
	console := "none"
	if pages, err := web.Load(); err == nil {
		console = pages.Build()
	}
	return fmt.Sprintf("venuegate %s %s %s/%s\nconsole: %s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, console)
}

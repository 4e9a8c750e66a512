package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/spf13/cobra"
)

// build identifies the program, as the Go tool recorded it.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree with uncommitted changes
	Go       string `json:"go"`
	Arch     string `json:"arch"`
}

func readBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), Arch: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// tool is what a report says of the program that made it.
func (b build) tool() report.Tool {
	return report.Tool{Version: b.Version, Go: b.Go, Arch: b.Arch}
}

func (a *app) versionCmd() *cobra.Command {
	var format *choice
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print version, commit, Go and architecture",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if format.value == formatJSON {
				return json.NewEncoder(a.stdout).Encode(b)
			}
			fmt.Fprintf(a.stdout, "simload %s\n", b.Version)
			if b.Commit != "" {
				fmt.Fprintf(a.stdout, "commit  %s%s\n", b.Commit, map[bool]string{true: " (modified)"}[b.Modified])
			}
			fmt.Fprintf(a.stdout, "go      %s\narch    %s\n", b.Go, b.Arch)
			return nil
		},
	}
	format = formatFlag(cmd, "form of the output", "text", formatJSON)
	return cmd
}

package main

import (
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/plot"
)

// Pictures are a package of their own, which report does not link by itself.
func init() { report.Register("svg", plot.Render) }

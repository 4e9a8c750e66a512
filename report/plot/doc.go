// Package plot draws a report as one SVG picture, for places that show pictures and no pages: READMEs,
// Markdown, pull requests.
//
// Start here: [Render]. The picture has the percentile curves above and the time series below, as the
// page of package htmlpage has them; they come from report.Curves and report.Panels, so that both say the
// same. Of several variants each has a column, on scales of their own row, so that columns compare.
//
// gonum/plot does the drawing. It brings fonts and encoders that weigh more than the rest of simload's
// report, so it has this package to itself, and who does not want pictures does not link it.
//
// The same report gives the same bytes.
package plot

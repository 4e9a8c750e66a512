// Package page renders planning reports: as a table, Markdown, JSON, or an HTML page with plots.
//
// Start with [Render]. document.go says what is told and in what order; report.Document sets it as text, html.go as a page
// of report/htmlpage, with drawings by chart.go that need no script.
package page

// Package htmlpage writes a report as one HTML file that needs nothing else: no network,
// no server, no other file.
//
// Start here: [Write] takes a [Page], which package report makes of its reports and sim/plan/page of
// plans. This package knows neither scenarios nor metrics; texts come to it finished and clean, and
// numbers only where the script has to draw them.
//
// # What the file promises
//
// Tables, verdicts and texts are plain HTML, so that they are there without JavaScript, for
// screen readers and on paper. The charts are drawn by uPlot (vendored under uplot, see its NOTICE)
// from one block of JSON. A content security policy in the file's head forbids everything but the
// style and the two scripts in the file, which it names by their hashes: a name from a scenario
// could not run even if escaping failed, and nothing can be fetched.
//
// The same page gives the same bytes.
//
// # Where a change goes
//
// What is said is report's; how it looks is assets/page.css, and its structure assets/page.tmpl. What
// moves is assets/page.js. The tests in browser drive a real Chromium: "make browser".
package htmlpage

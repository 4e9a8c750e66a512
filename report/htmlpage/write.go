package htmlpage

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
)

//go:embed assets uplot
var files embed.FS

// part is a style sheet or a script that is written into the page as it is.
type part struct {
	text, hash string
}

func load(names ...string) part {
	var text strings.Builder
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		text.Write(b)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return part{text.String(), "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"}
}

var (
	style  = load("uplot/uPlot.min.css", "assets/page.css")
	plots  = load("uplot/uPlot.iife.min.js")
	script = load("assets/page.js")
)

// Policy is the content security policy of every page.
func Policy() string {
	return "default-src 'none'; img-src data:; style-src " + style.hash + "; script-src " + plots.hash + " " + script.hash +
		"; base-uri 'none'; form-action 'none'"
}

var page = template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
	"percent": func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" },
	"dots":    func(texts []string) string { return strings.Join(texts, " · ") },
	"chart":   func(i int) string { return strconv.Itoa(i) },
}).ParseFS(files, "assets/page.tmpl"))

// Write writes a page.
func Write(w io.Writer, p *Page) error {
	err := page.Execute(w, struct {
		*Page
		Policy        string
		Style         template.CSS
		Plots, Script template.JS
	}{p, Policy(), template.CSS(style.text), template.JS(plots.text), template.JS(script.text)})
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	return nil
}

package render

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/templates"
)

// Server returns the generated file of a server.
func Server(file *gomodel.File) ([]byte, error) { return execute("server", file) }

// Middleware returns the generated file of a middleware.
func Middleware(file *gomodel.File) ([]byte, error) { return execute("middleware", file) }

func execute(name string, file *gomodel.File) ([]byte, error) {
	set := template.New("")
	include := func(name string, data any) (string, error) {
		var text strings.Builder
		err := set.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	set.Funcs(template.FuncMap{"comment": comment, "include": include})
	if _, err := set.ParseFS(templates.FS, "*.tmpl"); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := set.ExecuteTemplate(&text, name, file); err != nil {
		return nil, err
	}
	source, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated file is no Go, which is a fault of idemgen: %w", err)
	}
	return append(bytes.TrimSpace(source), '\n'), nil
}

// commentWidth is the width of every comment of generated code.
const commentWidth = 80

// comment breaks a text into the lines of a comment. A word that is longer than
// a line stands alone on one.
func comment(text string) string {
	var lines []string
	line := "//"
	for _, word := range strings.Fields(text) {
		if line != "//" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > commentWidth {
			lines = append(lines, line)
			line = "//"
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n")
}

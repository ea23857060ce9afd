package spec

import (
	"fmt"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// WithoutMember returns the text of a file of settings without one of its
// top-level members, for another program to read.
func WithoutMember(file, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(document.Content) == 0 {
		return data, nil
	}
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Kind == yaml.MappingNode && root.Content[i].Value == name {
			root.Content = append(root.Content[:i:i], root.Content[i+2:]...)
			break
		}
	}
	return yaml.Marshal(&document)
}

package spec

// An APIKey is a credential that a security scheme puts into a parameter.
type APIKey struct {
	Name string
	In   string // header, query or cookie
}

// APIKeys are the credentials of the document's security schemes that are plain
// parameters, in the order of the text.
func (d *Document) APIKeys() []APIKey {
	var list []APIKey
	for _, p := range d.root.get("components").get("securitySchemes").pairs() {
		scheme, problem := d.files.resolve(p.value)
		if problem == nil && scheme.text("type") == "apiKey" {
			list = append(list, APIKey{scheme.text("name"), scheme.text("in")})
		}
	}
	return list
}

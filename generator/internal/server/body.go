package server

import (
	"go/ast"
	"go/token"
	"strconv"
)

// strictHandler is the type whose methods decode requests for a strict server.
const strictHandler = "strictHandler"

// MediaTypes returns the names of the request's fields, by the media type that
// each is decoded from. It is empty for an operation that takes only one: the
// generated server does not look at its media type.
//
// The names are read from the code that fills the fields:
//
//	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
//		…
//		request.JSONBody = &body
//	}
func (p *Package) MediaTypes(op Operation) map[string]string {
	if op.MediaFields != nil {
		return op.MediaFields
	}
	decl := p.decoding[op.Name]
	if decl == nil {
		return nil
	}
	fields := make(map[string]string)
	for _, statement := range decl.Body.List {
		branch, ok := statement.(*ast.IfStmt)
		if !ok {
			continue
		}
		if media, ok := prefixOf(branch.Cond); ok {
			if field, ok := assignedField(branch.Body); ok {
				fields[media] = field
			}
		}
	}
	return fields
}

// prefixOf returns the literal of strings.HasPrefix(…, literal).
func prefixOf(condition ast.Expr) (string, bool) {
	call, ok := condition.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return "", false
	}
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "HasPrefix" {
		return "", false
	}
	literal, ok := call.Args[1].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// assignedField returns the name of the field of request that a block sets.
func assignedField(block *ast.BlockStmt) (name string, found bool) {
	ast.Inspect(block, func(n ast.Node) bool {
		assignment, ok := n.(*ast.AssignStmt)
		if !ok || len(assignment.Lhs) != 1 {
			return !found
		}
		field, ok := assignment.Lhs[0].(*ast.SelectorExpr)
		if !ok {
			return !found
		}
		if variable, ok := field.X.(*ast.Ident); ok && variable.Name == "request" {
			name, found = field.Sel.Name, true
		}
		return !found
	})
	return name, found
}

// HasContentType reports whether the request tells the handler its media type.
func (p *Package) HasContentType(op Operation) bool {
	if !p.Strict {
		return true
	}
	decl, ok := p.types[op.Request]
	if !ok {
		return false
	}
	for _, f := range p.resolve(decl.spec.Type, decl.file).Fields() {
		if f.Name == "ContentType" && !f.Tagged {
			return true
		}
	}
	return false
}

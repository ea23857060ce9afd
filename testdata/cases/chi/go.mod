module github.com/idemgen/idemgen/testdata/cases/chi

go 1.26.0

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/idemgen/idemgen v0.0.0
	github.com/oapi-codegen/nullable v1.2.0
	github.com/oapi-codegen/runtime v1.9.0
)

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/idemgen/idemgen => ../../..

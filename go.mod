module github.com/barriergen/barriergen

go 1.25.0

require (
	github.com/agnivade/levenshtein v1.2.2
	github.com/mmcloughlin/avo v0.6.0
	github.com/rogpeppe/go-internal v1.14.1
	github.com/stretchr/testify v1.11.1
	golang.org/x/arch v0.24.0
	golang.org/x/sys v0.41.0
	golang.org/x/term v0.40.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/owenrumney/go-sarif/v3 v3.3.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	golang.org/x/mod v0.33.0 // indirect
	golang.org/x/sync v0.19.0 // indirect
	golang.org/x/tools v0.42.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

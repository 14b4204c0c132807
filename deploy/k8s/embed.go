// Package manifests holds the kustomize base and components that runs on Kubernetes are made of, so that the program
// renders what the repository shows and tests.
package manifests

import "embed"

// Files has the folders base and components.
//
//go:embed base components
var Files embed.FS

package k8s

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

const (
	registryPart   = `[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?`
	repositoryPart = `(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)`
)

// imageForm has as groups a repository, with the registry before it, a tag and a digest.
var imageForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + registryPart + `(?::[0-9]+` + repositoryPart + `+|` + repositoryPart + `*))` +
		`(?::([a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`)
})

// maxImage is far beyond what registries take.
const maxImage = 1024

// CheckImage returns an error when a name is not that of an image.
func CheckImage(name string) error {
	if len(name) > maxImage || !imageForm().MatchString(name) || strings.HasPrefix(name, "sha256:") {
		return fmt.Errorf("%.100q is not an image: write REPOSITORY:TAG, or REPOSITORY@sha256: and 64 hexadecimal digits",
			name)
	}
	return nil
}

// Floating says whether an image is one that is meant to change: it has no digest, and the tag latest, or none, which
// is the same. Any other tag can be moved too, but not by custom.
func Floating(name string) bool {
	i := newImage("", name)
	return i.Digest == "" && i.NewTag == latest
}

const latest = "latest"

// An image replaces the base's in a kustomization.
type image struct {
	Name    string `yaml:"name"`
	NewName string `yaml:"newName,omitempty"`
	NewTag  string `yaml:"newTag,omitempty"`
	Digest  string `yaml:"digest,omitempty"`
}

// newImage takes apart a name that CheckImage has seen. Without a tag kustomize would keep the base's.
func newImage(base, name string) image {
	m := imageForm().FindStringSubmatch(name)
	if m == nil {
		return image{Name: base, NewName: name}
	}
	i := image{Name: base, NewName: m[1], NewTag: m[2], Digest: m[3]}
	if i.NewTag == "" && i.Digest == "" {
		i.NewTag = latest
	}
	return i
}

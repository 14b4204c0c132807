package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pagoda/internal/readfile"
	"pagoda/internal/run/protocol"
)

// nameFile keeps the label of the worker in its data folder: the windows of a worker that returns under its name are
// known. Its key stays out of the file, as it may be another one later.
const nameFile = "name"

// maxName bounds the file, in bytes; a name is much shorter.
const maxName = 4 << 10

// workerLabel returns the label in the folder dir, or draws one and keeps it. A label that is given is kept instead.
func workerLabel(dir, given string) (string, error) {
	path := filepath.Join(dir, nameFile)
	b, err := readfile.Own(path, maxName)
	name := strings.TrimSpace(string(b))
	switch {
	case err == nil && given == "" && protocol.ValidLabel(name):
		return name, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, readfile.ErrNotRegular) &&
		!errors.Is(err, readfile.ErrTooLarge):
		return "", err
	case err == nil && name == given:
		return name, nil
	}
	// An unreadable name, left by a crash while it was written, is as good as none.
	if name = given; name == "" {
		name = "w-" + strings.ToLower(rand.Text()[:10])
	}
	tmp := path + ".tmp"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("keep the worker's name: %w", err)
	}
	if err := os.WriteFile(tmp, []byte(name+"\n"), 0o644); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, path); err != nil {
		return "", fmt.Errorf("keep the worker's name: %w", err)
	}
	return name, nil
}

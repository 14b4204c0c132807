package built

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// ErrNoHistory says that the earlier commit is not in this clone.
var ErrNoHistory = errors.New("no history")

// Earlier returns the folder of coordinator and worker of the commit that tools/earlier names. They are built once, and
// stay in .bin. Errors wrap ErrNoHistory where that commit is not there.
func Earlier(root string) (folder string, err error) {
	name := exec.Command(filepath.Join(root, "tools", "earlier"))
	var said bytes.Buffer
	name.Stderr = &said
	out, err := name.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", ErrNoHistory, strings.TrimSpace(said.String()))
	}
	commit := strings.TrimSpace(string(out))
	return kept(root, "earlier-"+commit[:12], func(folder string) error {
		if _, err := os.Stat(folder); err == nil {
			return nil // a commit does not change
		}
		source := folder + "-source"
		defer func() { _ = os.RemoveAll(source) }()
		if err := os.MkdirAll(source, 0o755); err != nil {
			return err
		}
		tar := exec.Command("sh", "-c", "git archive "+commit+" | tar -x -C "+source)
		tar.Dir = root
		if out, err := tar.CombinedOutput(); err != nil {
			return fmt.Errorf("git archive: %w\n%s", err, out)
		}
		part := folder + ".part"
		return errors.Join(build(source, part), os.Rename(part, folder))
	})
}

// Later returns the folder of coordinator and worker as a later version could be: today's, with the next version of the
// messages.
func Later(root string) (folder string, err error) {
	return changed(root, "later", "internal/run/protocol/version.go", "const Version = 2\n", "const Version = 3\n")
}

// SlowDisk returns the folder of a coordinator and a worker for which every sync of a database's log takes 0.8 s more.
func SlowDisk(root string) (folder string, err error) {
	const sync = "func (f *guardedFile) SyncData() error {"
	return changed(root, "slow-disk", "internal/kv/guard/guard.go", sync, sync+" time.Sleep(800 * time.Millisecond);")
}

// changed returns the folder of today's coordinator and worker with another text in a file.
func changed(root, name, file, old, text string) (folder string, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return "", err
	}
	return kept(root, name, func(folder string) error {
		file := filepath.Join(root, file)
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		next := bytes.Replace(b, []byte(old), []byte(text), 1)
		if bytes.Equal(b, next) {
			return fmt.Errorf("%s: no %q, to be changed", file, old)
		}
		replaced, overlay := folder+".changed", folder+".overlay.json"
		list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: replaced}})
		if err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(replaced, next, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
			return err
		}
		return build(root, folder, "-overlay", overlay)
	})
}

// kept calls build for a folder in .bin, one process at a time.
func kept(root, name string, build func(folder string) error) (folder string, err error) {
	if folder, err = filepath.Abs(filepath.Join(root, ".bin", name)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(folder + ".lock").Lock() // suites run at the same time
	if err != nil {
		return "", err
	}
	defer unlock()
	return folder, build(folder)
}

// build builds both programs of a source.
func build(source, folder string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", folder + "/"}, flags...)
	cmd := exec.Command("go", append(args, "./cmd/coordinator", "./cmd/worker")...)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the programs of %s: %w\n%s", folder, err, out)
	}
	return nil
}

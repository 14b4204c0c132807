package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// An outcome of a trial. The first two do not count.
type outcome int

const (
	notCompiled outcome = iota
	sameCode
	killed
	survived
)

// A bench builds and runs the tests of one package, with one change at a time and without touching the sources.
type bench struct {
	root, dir, importPath string
	args                  []string // of the test binary
	temp                  string
	same                  [sha256.Size]byte // of the unchanged machine code
	limit                 time.Duration
}

// open builds and runs the unchanged tests of a package, and has the time limit of the changed ones follow from theirs.
func open(ctx context.Context, root, dir, importPath, temp string, args []string) (*bench, error) {
	b := &bench{root: root, dir: dir, importPath: importPath, temp: temp, args: args, limit: 10 * time.Minute}
	if err := b.overlay(nil); err != nil {
		return nil, err
	}
	var err error
	if b.same, err = b.code(ctx); err != nil {
		return nil, err
	}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	begin := time.Now()
	if said, err := b.run(ctx); err != nil {
		return nil, fmt.Errorf("%s: the unchanged tests fail: %w\n%s", importPath, err, said)
	}
	b.limit = 3*time.Since(begin) + 10*time.Second
	return b, nil
}

// try builds and runs the tests with a change. The text is why they failed.
func (b *bench) try(ctx context.Context, c *change) (outcome, string, error) {
	source, err := os.ReadFile(c.file)
	if err != nil {
		return 0, "", err
	}
	changed := filepath.Join(b.temp, filepath.Base(c.file))
	if err := os.WriteFile(changed, c.apply(source), 0o600); err != nil {
		return 0, "", err
	}
	if err := b.overlay(map[string]string{c.file: changed}); err != nil {
		return 0, "", err
	}
	if err := b.build(ctx); err != nil {
		return notCompiled, "", ctx.Err()
	}
	said, err := b.run(ctx)
	switch {
	case ctx.Err() != nil:
		return 0, "", ctx.Err()
	case err != nil:
		return killed, cause(said), nil
	}
	sum, err := b.code(ctx)
	if sum == b.same {
		return sameCode, "", err
	}
	return survived, "", err
}

func (b *bench) overlayFile() string { return filepath.Join(b.temp, "overlay.json") }
func (b *bench) testBinary() string  { return filepath.Join(b.temp, "package.test") }

// overlay has other files stand for some of the sources.
func (b *bench) overlay(replace map[string]string) error {
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(b.overlayFile(), text, 0o600)
}

// goCommand runs go, with the overlay, in the module's folder.
func (b *bench) goCommand(ctx context.Context, args ...string) (string, error) {
	args = append(args, "-trimpath", "-overlay", b.overlayFile(), b.importPath)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// build compiles and links the tests.
func (b *bench) build(ctx context.Context) error {
	_, err := b.goCommand(ctx, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", b.testBinary())
	return err
}

// code compiles the package and returns the hash of its machine code. The test binary would not do: the linker leaves
// out what no test calls.
func (b *bench) code(ctx context.Context) (sum [sha256.Size]byte, err error) {
	archive, err := b.goCommand(ctx, "list", "-export", "-f", "{{.Export}}", "-gcflags=-dwarf=false")
	if err != nil {
		return sum, err
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		return sum, err
	}
	object, err := objectOf(content)
	if err != nil {
		return sum, fmt.Errorf("%s: %w", archive, err)
	}
	return sha256.Sum256(object), nil
}

// objectOf returns the machine code in a compiled package, an ar archive. Before it are a text with the build ID, a
// magic word, and a fingerprint of the code that other packages may inline. This fingerprint depends on the columns of
// the source.
func objectOf(archive []byte) ([]byte, error) {
	const arMagic, header, name, size, sizeEnd, begin, fingerprintEnd = "!<arch>\n", 60, 16, 48, 58, "\n!\n", 16
	rest, ok := bytes.CutPrefix(archive, []byte(arMagic))
	for ok && len(rest) >= header {
		n, err := strconv.Atoi(string(bytes.TrimSpace(rest[size:sizeEnd])))
		if err != nil || n < 0 || n > len(rest)-header {
			break
		}
		if string(bytes.TrimSpace(rest[:name])) == "_go_.o" {
			if _, object, ok := bytes.Cut(rest[header:header+n], []byte(begin)); ok && len(object) > fingerprintEnd {
				return object[fingerprintEnd:], nil
			}
			break
		}
		rest = rest[min(len(rest), header+n+n%2):]
	}
	return nil, errors.New("not a compiled Go package; this version of Go needs another objectOf")
}

// run runs the test binary. Its processes end with it, and its temporary folder is removed.
func (b *bench) run(ctx context.Context) (said string, err error) {
	temp, err := os.MkdirTemp(b.temp, "run-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(ctx, b.limit+10*time.Second)
	defer cancel()
	args := append([]string{"-test.failfast", "-test.timeout", b.limit.String()}, b.args...)
	cmd := exec.CommandContext(ctx, b.testBinary(), args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err = cmd.Start(); err != nil {
		return "", err
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return out.String(), err
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^(panic: test timed out)|^((?:panic|fatal error): .*)`)

// cause returns the test that failed first, or the panic that ended all of them.
func cause(said string) string {
	m := failure.FindStringSubmatch(said)
	if m == nil {
		return "exit without a failed test"
	}
	return strings.TrimPrefix(strings.Join(m[1:], ""), "panic: test ")
}

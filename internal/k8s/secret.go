package k8s

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"pagoda/internal/readfile"
)

type secret struct {
	Metadata meta              `json:"metadata"`
	Data     map[string][]byte `json:"data"`
}

// secretName is the name of the Secret with a role's keys.
func secretName(run, role string) string { return run + "-" + role + "-certs" }

// HasKeys reports which of the roles have a Secret with keys of the run.
func (k *Kubectl) HasKeys(ctx context.Context, o *Overlay, roles ...string) (there, missing []string, err error) {
	for _, role := range roles {
		var s struct {
			Metadata meta `json:"metadata"`
		}
		ok, err := k.get(ctx, &s, "secret", secretName(o.Name, role))
		if err != nil {
			return nil, nil, err
		}
		if ok {
			there = append(there, role)
		} else {
			missing = append(missing, role)
		}
	}
	return there, missing, nil
}

// maxSecret is the largest size of a Secret, in bytes.
const maxSecret = 1 << 20

// PutKeys stores the files of the folder dir/role as a Secret of the run, for each of the roles.
func (k *Kubectl) PutKeys(ctx context.Context, o *Overlay, dir string, roles ...string) error {
	for _, role := range roles {
		files, err := os.ReadDir(filepath.Join(dir, role))
		if err != nil {
			return err
		}
		data := map[string][]byte{}
		for _, f := range files {
			if data[f.Name()], err = readfile.Read(ctx, filepath.Join(dir, role, f.Name()), maxSecret); err != nil {
				return err
			}
		}
		b, err := json.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
			"metadata": map[string]any{
				"name": secretName(o.Name, role),
				"labels": map[string]string{
					"app.kubernetes.io/name": part, LabelPart: part, LabelInstance: o.Name, LabelManager: manager, o.labelID(): o.Run,
				},
			},
		})
		if err != nil {
			return err
		}
		if _, err := k.Run(ctx, b, "create", "-f", "-"); err != nil {
			return err
		}
	}
	return nil
}

// TakeKeys writes the keys of a role into a new folder.
func (k *Kubectl) TakeKeys(ctx context.Context, name, role, dir string) error {
	var s secret
	ok, err := k.get(ctx, &s, "secret", secretName(name, role))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("secret %s is not there", secretName(name, role))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for file, data := range s.Data {
		if filepath.Base(file) != file {
			return fmt.Errorf("secret %s: %q is no file name", secretName(name, role), file)
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// credentialsFile is the key of a Secret with the keys of object storage.
const credentialsFile = "credentials"

// CheckS3 reports a Secret with the keys of object storage that is not there, or has no such file.
func (k *Kubectl) CheckS3(ctx context.Context, name string) error {
	var s secret
	ok, err := k.get(ctx, &s, "secret", name)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("secret %s is not there", name)
	case len(s.Data[credentialsFile]) == 0:
		return fmt.Errorf("secret %s has no file %s", name, credentialsFile)
	}
	return nil
}

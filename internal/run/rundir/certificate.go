package rundir

import (
	"path/filepath"

	"pagoda/internal/readfile"
)

// CertificatePath is where the certificate of a complete run is in its folder.
func CertificatePath(dir string) string { return filepath.Join(dir, certName) }

// WriteCertificate puts the certificate of the run in place, at once and durably.
func (f *Folder) WriteCertificate(b []byte) error { return writeFile(CertificatePath(f.Dir), b, true) }

// ReadCertificate reads the certificate in a folder, of at most limit bytes. It takes no lock. The error wraps
// fs.ErrNotExist when there is none.
func ReadCertificate(dir string, limit int64) ([]byte, error) {
	return readfile.Own(CertificatePath(dir), limit)
}

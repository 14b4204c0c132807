package objects

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"pagoda/internal/run/address"
)

// Environment says where a bucket is and with which keys it is opened, in the variables that every client of S3 reads.
type Environment struct {
	Endpoint *url.URL
	Region   string // "" asks the server
	Keys     *credentials.Credentials
	// Stall is how long a server may take to connect, to answer, or to take or send the next bytes; 0 for 20 s.
	Stall time.Duration
}

// amazon is where buckets are unless the environment says otherwise.
const amazon = "https://s3.amazonaws.com"

// ReadEnvironment reads AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION, and keys:
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a credentials file (AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE), or the
// role of a pod or machine where the environment names one. It makes no request.
func ReadEnvironment() (Environment, error) {
	var e Environment
	name, text := first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
	given := text != ""
	if !given {
		text = amazon
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.User != nil {
		return e, fmt.Errorf("%s: %.80q is not of the form https://HOST:PORT", name, text)
	}
	if err := address.InURL(u); err != nil {
		return e, fmt.Errorf("%s: %w", name, err)
	}
	e.Endpoint = u
	_, e.Region = first("AWS_REGION", "AWS_DEFAULT_REGION")
	if e.Region == "" && given {
		e.Region = "us-east-1" // what servers other than Amazon's say unless told otherwise
	}
	e.Keys, err = keys()
	return e, err
}

// first returns the first variable that has a value.
func first(names ...string) (name, value string) {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// ErrNoKeys says that the environment has no keys.
var ErrNoKeys = errors.New("no keys for object storage: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set")

func keys() (*credentials.Credentials, error) {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, os.Getenv("AWS_SESSION_TOKEN")), nil
	}
	if id != "" || secret != "" {
		return nil, errors.New("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set")
	}
	if file := credentials.NewFileAWSCredentials("", ""); file != nil {
		if v, err := file.GetWithContext(nil); err == nil && v.AccessKeyID != "" {
			return file, nil
		}
	}
	// The role of a pod or a container. The addresses of machines' roles are not asked: where there are none, that takes
	// a minute to find out.
	for _, name := range []string{
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		if os.Getenv(name) != "" {
			return credentials.NewIAM(""), nil
		}
	}
	return nil, ErrNoKeys
}

package objects

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// scheme begins the URLs of objects.
const scheme = "s3://"

// maxKey is the longest name of an object, in bytes.
const maxKey = 1024

// A Location is a place in a bucket: an object, or the beginning of the names of several.
type Location struct {
	Bucket string
	Key    string // without a leading slash; "" is the whole bucket
}

// IsURL reports whether text is meant to be the URL of a place in object storage.
func IsURL(text string) bool { return strings.HasPrefix(strings.ToLower(text), scheme) }

// Parse reads a URL of the form s3://BUCKET/KEY. A slash at the end stays part of the key.
func Parse(url string) (Location, error) {
	if !strings.HasPrefix(url, scheme) {
		return Location{}, fmt.Errorf("%.80q is not of the form s3://BUCKET/PREFIX", url)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(url, scheme), "/")
	if err := checkBucket(bucket); err != nil {
		return Location{}, fmt.Errorf("%.80q: %w", url, err)
	}
	if err := checkKey(key); err != nil {
		return Location{}, fmt.Errorf("%.80q: %w", url, err)
	}
	return Location{Bucket: bucket, Key: key}, nil
}

// CheckURL takes what Parse takes, and the empty text, which names no place.
func CheckURL(text string) error {
	if text == "" {
		return nil
	}
	_, err := Parse(text)
	return err
}

// checkBucket takes the names that every server takes.
func checkBucket(name string) error {
	if len(name) < 3 || len(name) > 63 {
		return errors.New("the name of a bucket has 3 to 63 letters")
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.':
		default:
			return errors.New("the name of a bucket is made of lower-case letters, digits, dots and -")
		}
	}
	if strings.Trim(name, "-.") != name || strings.Contains(name, "..") {
		return errors.New("the name of a bucket begins and ends with a letter or digit")
	}
	return nil
}

// checkKey takes the names that are the same to every server and proxy.
func checkKey(key string) error {
	trimmed := strings.TrimSuffix(key, "/")
	switch {
	case len(key) > maxKey:
		return fmt.Errorf("the name of an object has at most %d bytes", maxKey)
	case trimmed != "" && path.Clean("/"+trimmed) != "/"+trimmed:
		return errors.New("the name of an object has no empty part, no . and no .. in it")
	}
	for _, c := range key {
		if c < ' ' || c == 0x7f || c == 0xfffd || strings.ContainsRune(`\?#*"<>|`, c) {
			return fmt.Errorf("%q does not belong into the name of an object", c)
		}
	}
	return nil
}

// String is the URL.
func (l Location) String() string { return scheme + l.Bucket + "/" + l.Key }

// IsFolder reports whether l is the beginning of names rather than a name: it ends with a slash, or is a bucket.
func (l Location) IsFolder() bool { return l.Key == "" || strings.HasSuffix(l.Key, "/") }

// Below is the object of a name below l.
func (l Location) Below(name string) Location {
	if !l.IsFolder() {
		name = "/" + name
	}
	return Location{Bucket: l.Bucket, Key: l.Key + name}
}

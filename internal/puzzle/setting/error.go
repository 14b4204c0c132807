package setting

// An Error says which setting has a value that cannot be used, why, and what to do. The reader of the settings adds the
// origin of the value.
type Error struct {
	Setting string
	Err     error
	Hint    string // what to do, in one line; may be empty
}

func (e *Error) Error() string { return e.Setting + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Advice returns what to do about the error, in one line; it may be empty.
func (e *Error) Advice() string { return e.Hint }

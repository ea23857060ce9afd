package nethttp

import (
	"errors"
	"io"
	"os"
)

// A spill holds a body that is too large to be kept, for its first caller. Its
// file has no name where the system allows that, so that it is gone with the
// process.
type spill struct {
	file    *os.File
	unnamed bool
}

func newSpill() (*spill, error) {
	file, err := os.CreateTemp("", "idem-answer-*")
	if err != nil {
		return nil, err
	}
	// Some systems do not remove an open file; Close does it there.
	return &spill{file: file, unnamed: os.Remove(file.Name()) == nil}, nil
}

// Write implements io.Writer.
func (s *spill) Write(p []byte) (int, error) { return s.file.Write(p) }

// writeTo copies everything to w.
func (s *spill) writeTo(w io.Writer) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// Close frees the file.
func (s *spill) Close() error {
	err := s.file.Close()
	if !s.unnamed {
		err = errors.Join(err, os.Remove(s.file.Name()))
		s.unnamed = true
	}
	return err
}

package runtime

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// spoolMemory is how much of a spool is held in memory. What goes beyond it
// moves to a file, all of it.
const spoolMemory = 1 << 20

// errSpoolFull says that more was written than the spool's limit.
var errSpoolFull = errors.New("idem: the body is larger than the server takes")

// A spool keeps what is written to it, to be read as often as one likes. Its
// file has no name where the system allows that, so that it is gone with the
// process. It is not safe for concurrent use.
type spool struct {
	limit   int64
	size    int64
	memory  []byte
	file    *os.File
	unnamed bool
}

// Write implements io.Writer. Beyond the limit it fails with errSpoolFull.
func (s *spool) Write(p []byte) (int, error) {
	if int64(len(p)) > s.limit-s.size {
		return 0, errSpoolFull
	}
	if s.file == nil && s.size+int64(len(p)) > spoolMemory {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.memory = append(s.memory, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

func (s *spool) toFile() error {
	file, err := os.CreateTemp("", "idem-body-*")
	if err != nil {
		return err
	}
	// Some systems do not remove an open file; close does it there.
	s.file, s.unnamed = file, os.Remove(file.Name()) == nil
	_, err = file.Write(s.memory)
	s.memory = nil
	return err
}

// reader reads from the start, independently of other readers.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// close frees the file. A nil spool has none.
func (s *spool) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.unnamed {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file, s.memory, s.size = nil, nil, 0
	return err
}

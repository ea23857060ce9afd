//go:build unix

package chaos

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startLimit is how long a process may take until it is ready.
const startLimit = 20 * time.Second

// keptLines is how much of a process's output is kept, to be shown when
// something fails.
const keptLines = 40

// A process is a program that says on its output when it is ready.
type process struct {
	cmd   *exec.Cmd
	ready chan string   // gets the rest of the line that says so
	ended chan struct{} // closed when it is gone

	mu    sync.Mutex
	lines []string // the last of its output, guarded by mu
}

// startProcess runs cmd and waits until a line of its output contains sign. It
// returns what follows sign in that line. The process is killed when the test
// ends, and ends itself when this process dies.
func startProcess(t testing.TB, cmd *exec.Cmd, sign string) (*process, string, error) {
	cmd.SysProcAttr = dieWithParent()
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	cmd.Stderr = cmd.Stdout
	p := &process{cmd: cmd, ready: make(chan string, 1), ended: make(chan struct{})}
	started := make(chan error)
	go p.run(output, sign, started)
	if err := <-started; err != nil {
		return nil, "", err
	}
	t.Cleanup(func() { p.kill() })
	select {
	case rest := <-p.ready:
		return p, rest, nil
	case <-p.ended:
		return nil, "", fmt.Errorf("%s has ended:\n%s", cmd.Path, p.log())
	case <-time.After(startLimit):
		return nil, "", fmt.Errorf("%s is not ready after %v:\n%s", cmd.Path, startLimit, p.log())
	}
}

// run starts the process and stays with it.
func (p *process) run(output io.Reader, sign string, started chan<- error) {
	// The signal of a parent's death comes with the end of the thread that
	// started the process, so that thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		p.note(lines.Text())
		if _, rest, ok := strings.Cut(lines.Text(), sign); ok {
			select {
			case p.ready <- rest:
			default:
			}
		}
	}
	p.cmd.Wait()
	close(p.ended)
}

func (p *process) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) == keptLines {
		p.lines = p.lines[1:]
	}
	p.lines = append(p.lines, line)
}

// log returns the last lines of the process's output.
func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// signal sends a signal; one to a process that is gone has no effect.
func (p *process) signal(s syscall.Signal) { p.cmd.Process.Signal(s) }

// kill ends the process with SIGKILL and waits until it is gone.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// selfCommand returns a command that runs this test binary again, as what the
// variable says.
func selfCommand(variable, value string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+value)
	return cmd, nil
}

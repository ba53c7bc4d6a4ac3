package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// partner is a process of a scenario. It writes a line when it is ready, answers each
// line of its standard input with a line of its output, all of them JSON, and ends
// with its input.
type partner struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// startPartner starts a process, waits until it is ready and decodes its first line.
func startPartner(command *exec.Cmd, ready any) (*partner, error) {
	p := &partner{command: command}
	command.Stderr = os.Stderr
	var err error
	if p.input, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.output = bufio.NewReader(output)
	if err := command.Start(); err != nil {
		return nil, err
	}
	if err := p.answer(ready); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// ask sends a line and decodes the response.
func (p *partner) ask(question, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err := p.input.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("ask %s: %w", p.command.Path, err)
	}
	return p.answer(answer)
}

func (p *partner) answer(into any) error {
	line, err := p.output.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("answer of %s: %w", p.command.Path, err)
	}
	return json.Unmarshal(line, into)
}

func (p *partner) process() int { return p.command.Process.Pid }

func (p *partner) close() error {
	err := p.input.Close()
	// Reading the rest of the output lets a process that still writes end.
	_, _ = io.Copy(io.Discard, p.output)
	return errors.Join(err, p.command.Wait())
}

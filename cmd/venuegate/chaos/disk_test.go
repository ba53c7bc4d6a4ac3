//go:build chaos

package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// disk is a file system in a loop-mounted file.
type disk struct {
	t     testing.TB
	image string
	dir   string
	// mounted reports whether the image is mounted.
	mounted bool
}

// newDisk creates and mounts an ext4 file system of a size. It skips the test if this
// machine does not allow that.
func newDisk(t testing.TB, sizeBytes int64) *disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("!! skipped: loop mounts need root")
	}
	scratch := t.TempDir()
	d := &disk{t: t, image: filepath.Join(scratch, "image"), dir: filepath.Join(scratch, "mounted")}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(d.image)
	if err == nil {
		err = file.Truncate(sizeBytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	// No blocks are reserved, so that the disk can be filled completely.
	if out, err := d.command("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", d.image); err != nil {
		t.Skipf("!! skipped: mkfs.ext4: %v %s", err, out)
	}
	t.Cleanup(d.unmount)
	if out, err := d.mount(); err != nil {
		t.Skipf("!! skipped: this machine allows no loop mounts: %v %s", err, out)
	}
	return d
}

func (d *disk) command(name string, args ...string) ([]byte, error) {
	return exec.Command(name, args...).CombinedOutput()
}

func (d *disk) mount() ([]byte, error) {
	out, err := d.command("mount", "-o", "loop", d.image, d.dir)
	d.mounted = err == nil
	return out, err
}

func (d *disk) unmount() {
	if !d.mounted {
		return
	}
	if out, err := d.command("umount", d.dir); err != nil {
		d.t.Errorf("umount: %v %s", err, out)
		return
	}
	d.mounted = false
}

// copyImage copies the current content of the medium, without what the file system has
// not written yet.
func (d *disk) copyImage() string {
	d.t.Helper()
	name := d.image + ".copy"
	if out, err := d.command("cp", "--sparse=always", d.image, name); err != nil {
		d.t.Fatalf("cp: %v %s", err, out)
	}
	return name
}

// replace replaces the image by an earlier copy.
func (d *disk) replace(image string) {
	d.t.Helper()
	d.unmount()
	if err := os.Rename(image, d.image); err != nil {
		d.t.Fatal(err)
	}
	if out, err := d.mount(); err != nil {
		d.t.Fatalf("mount after the power cut: %v %s", err, out)
	}
}

// fill writes a file until a number of bytes is left.
func (d *disk) fill(name string, leave int64) {
	d.t.Helper()
	file, err := os.OpenFile(filepath.Join(d.dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	block := make([]byte, 64<<10)
	for free(d.t, d.dir) > leave {
		if _, err := file.Write(block); err != nil {
			break // full
		}
	}
	// Delayed writes may or may not fail here.
	_ = file.Sync()
}

func (d *disk) remove(name string) {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
		d.t.Fatal(fmt.Errorf("remove the file: %w", err))
	}
}

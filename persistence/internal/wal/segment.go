package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Position identifies a record: its number, and the checksum over it and all records
// before it. The zero Position is that before the first record.
type Position struct {
	Seq uint64
	Sum uint32
}

const (
	segmentMagic  = "vglog1\n\x00"
	segmentSuffix = ".log"
	// spareName is the name of a segment that is filled with zeros and not used yet.
	spareName = "spare"

	headerBytes       = len(segmentMagic) + 8 + 4 + 4
	recordHeaderBytes = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func segmentName(first uint64) string { return fmt.Sprintf("%020d%s", first, segmentSuffix) }

// encodeHeader returns the header of a segment that begins after a record.
func encodeHeader(after Position) []byte {
	out := append(make([]byte, 0, headerBytes), segmentMagic...)
	out = binary.BigEndian.AppendUint64(out, after.Seq+1)
	out = binary.BigEndian.AppendUint32(out, after.Sum)
	return binary.BigEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// decodeHeader returns the position before the first record of a segment.
func decodeHeader(data []byte) (after Position, err error) {
	if len(data) < headerBytes || !bytes.HasPrefix(data, []byte(segmentMagic)) {
		return after, errors.New("it is not a segment")
	}
	sum := binary.BigEndian.Uint32(data[headerBytes-4:])
	first := binary.BigEndian.Uint64(data[len(segmentMagic):])
	if sum != crc32.Checksum(data[:headerBytes-4], castagnoli) || first == 0 {
		return after, errors.New("its header is damaged")
	}
	return Position{first - 1, binary.BigEndian.Uint32(data[len(segmentMagic)+8:])}, nil
}

// next returns the position of the record with that body after p.
func (p Position) next(body []byte) Position {
	var head [12]byte
	binary.BigEndian.PutUint32(head[:], p.Sum)
	binary.BigEndian.PutUint64(head[4:], p.Seq+1)
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, body)
	return Position{p.Seq + 1, sum}
}

// scanRecords calls visit for each valid record of a segment, whose content begins
// behind the header, and returns the position of the last one.
func scanRecords(content []byte, after Position, visit func(at Position, body []byte) error) (Position, error) {
	for len(content) > recordHeaderBytes {
		length := int64(binary.BigEndian.Uint32(content))
		if length == 0 || length > int64(len(content)-recordHeaderBytes) {
			break
		}
		body := content[recordHeaderBytes:][:length]
		at := after.next(body)
		if at.Sum != binary.BigEndian.Uint32(content[4:]) {
			break
		}
		if err := visit(at, body); err != nil {
			return after, err
		}
		after, content = at, content[recordHeaderBytes+length:]
	}
	return after, nil
}

// segmentPaths returns the paths of the segments of a directory, in the order of their
// records; none if there is no such directory.
func segmentPaths(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentSuffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// firstOf returns the number of the first record of a segment, from its name.
func firstOf(path string) (uint64, error) {
	var first uint64
	_, err := fmt.Sscanf(strings.TrimSuffix(filepath.Base(path), segmentSuffix), "%020d", &first)
	return first, err
}

// zeroBytes is the size of one write of zeros.
const zeroBytes = 1 << 18

// createFilled creates a file of zeros and syncs it.
func createFilled(path string, size int64) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, min(size, zeroBytes))
	for at := int64(0); at < size && err == nil; at += zeroBytes {
		_, err = file.WriteAt(zeros[:min(zeroBytes, size-at)], at)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return file, nil
}

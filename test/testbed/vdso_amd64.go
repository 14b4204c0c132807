//go:build linux

package testbed

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// clockCode is int clock_gettime(clockid_t, struct timespec *) by way of the kernel. It adds the seconds and
// nanoseconds in the table at its end to the result of clocks 0, the wall clock, and 1, the monotonic one.
var clockCode = []byte{
	0xb8, 0xe4, 0x00, 0x00, 0x00, //             mov  eax, 228
	0x0f, 0x05, //                               syscall
	0x85, 0xc0, //                               test eax, eax
	0x75, 0x39, //                               jnz  out
	0x83, 0xff, 0x01, //                         cmp  edi, 1
	0x77, 0x34, //                               ja   out
	0x48, 0x8d, 0x0d, 0x31, 0x00, 0x00, 0x00, // lea  rcx, [rip+table]
	0x89, 0xfa, //                               mov  edx, edi
	0xc1, 0xe2, 0x04, //                         shl  edx, 4
	0x48, 0x01, 0xd1, //                         add  rcx, rdx
	0x48, 0x8b, 0x11, //                         mov  rdx, [rcx]
	0x48, 0x01, 0x16, //                         add  [rsi], rdx
	0x48, 0x8b, 0x51, 0x08, //                   mov  rdx, [rcx+8]
	0x48, 0x03, 0x56, 0x08, //                   add  rdx, [rsi+8]
	0x48, 0x81, 0xfa, 0x00, 0xca, 0x9a, 0x3b, // cmp  rdx, 1000000000
	0x7c, 0x0a, //                               jl   store
	0x48, 0x81, 0xea, 0x00, 0xca, 0x9a, 0x3b, // sub  rdx, 1000000000
	0x48, 0xff, 0x06, //                         inc  qword [rsi]
	0x48, 0x89, 0x56, 0x08, //            store: mov  [rsi+8], rdx
	0xc3,             //                  out:   ret
	0x90, 0x90, 0x90, // up to a multiple of 8
	//                                    table: .quad 0, 0, 0, 0
}

const (
	clockTable = 32
	// Between these offsets a thread has read seconds of the table and not yet the nanoseconds.
	tornFrom, tornTo = 34, 38
	jumpSize         = 5
)

// patch makes a stopped process read its clocks with a skew. The vDSO's clock_gettime is made to jump to clockCode,
// which goes where the last page of the vDSO is not used; the kernel gives the process its own copy of the pages.
func patch(pid int, s Skew) error {
	start, size, err := findVDSO(pid)
	if err != nil {
		return err
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = mem.Close() }()
	image := make([]byte, size)
	if _, err := mem.ReadAt(image, start); err != nil {
		return err
	}
	entry, room, err := layVDSO(image)
	if err != nil {
		return fmt.Errorf("vDSO: %w: %w", err, errors.ErrUnsupported)
	}
	table := make([]byte, 0, clockTable)
	for _, d := range []time.Duration{s.Wall, s.Monotonic} {
		sec, nsec := d/time.Second, d%time.Second
		if nsec < 0 {
			sec, nsec = sec-1, nsec+time.Second
		}
		table = binary.LittleEndian.AppendUint64(table, uint64(sec))
		table = binary.LittleEndian.AppendUint64(table, uint64(nsec))
	}
	jump := binary.LittleEndian.AppendUint32([]byte{0xe9}, uint32(room-entry-jumpSize))
	if bytes.Equal(image[entry:entry+jumpSize], jump) {
		return enter(pid, mem, start, room+tornFrom, room+tornTo, room+len(clockCode), table)
	}
	if _, err := mem.WriteAt(append(bytes.Clone(clockCode), table...), start+int64(room)); err != nil {
		return fmt.Errorf("vDSO: %w: %w", err, errors.ErrUnsupported)
	}
	return enter(pid, mem, start, entry+1, entry+jumpSize, entry, jump)
}

// enter writes b at offset at, unless a thread is between the offsets from and to.
func enter(pid int, mem io.WriterAt, start int64, from, to, at int, b []byte) error {
	pcs, err := counters(pid)
	if err != nil {
		return err
	}
	for _, pc := range pcs {
		if pc >= uint64(start)+uint64(from) && pc < uint64(start)+uint64(to) {
			return errBusy
		}
	}
	_, err = mem.WriteAt(b, start+int64(at))
	return err
}

// findVDSO returns where a process has its vDSO, and the size of that.
func findVDSO(pid int) (start int64, size int, err error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = maps.Close() }()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		if !strings.HasSuffix(lines.Text(), "[vdso]") {
			continue
		}
		var end int64
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &start, &end); err != nil {
			return 0, 0, err
		}
		return start, int(end - start), nil
	}
	return 0, 0, errors.Join(lines.Err(), fmt.Errorf("it has no vDSO: %w", errors.ErrUnsupported))
}

// layVDSO returns the offsets of clock_gettime and of room for clockCode in a vDSO.
func layVDSO(image []byte) (entry, room int, err error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, 0, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return 0, 0, err
	}
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" {
			entry = int(s.Value)
		}
	}
	// The section headers end the file; the rest of its last page is unused.
	head := image[:64]
	room = int(binary.LittleEndian.Uint64(head[40:])) +
		int(binary.LittleEndian.Uint16(head[58:]))*int(binary.LittleEndian.Uint16(head[60:]))
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS {
			room = max(room, int(s.Offset+s.Size))
		}
	}
	room = (room + 63) &^ 63
	switch {
	case entry <= 0 || entry+jumpSize > len(image):
		return 0, 0, errors.New("no clock_gettime in it")
	case room+len(clockCode)+clockTable > len(image):
		return 0, 0, errors.New("no room in it")
	}
	return entry, room, nil
}

package main

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// thin is the least that is a program for a processor: its header, and text
// to tell it by.
func thin(t *testing.T, cpu macho.Cpu, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	head := []uint32{macho.Magic64, uint32(cpu), 3, uint32(macho.TypeExec), 0, 0, 0, 0}
	if err := binary.Write(&b, binary.LittleEndian, head); err != nil {
		t.Fatal(err)
	}
	b.WriteString(text)
	return b.Bytes()
}

// joined is a universal binary of these programs, in this order.
func joined(t *testing.T, programs ...[]byte) []byte {
	t.Helper()
	const align = 1 << 14
	header := []uint32{macho.MagicFat, uint32(len(programs))}
	var body bytes.Buffer
	for _, p := range programs {
		body.Write(make([]byte, -body.Len()&(align-1)))
		header = append(header, binary.LittleEndian.Uint32(p[4:]), binary.LittleEndian.Uint32(p[8:]), uint32(align+body.Len()), uint32(len(p)), 14)
		body.Write(p)
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.BigEndian, header); err != nil {
		t.Fatal(err)
	}
	b.Write(make([]byte, align-b.Len()))
	b.Write(body.Bytes())
	return b.Bytes()
}

func TestUniversalIsTheSameInAnyOrder(t *testing.T) {
	intel, arm := thin(t, macho.CpuAmd64, "intel"), thin(t, macho.CpuArm64, "arm")
	want := joined(t, intel, arm)
	for _, given := range [][]byte{want, joined(t, arm, intel)} {
		path := filepath.Join(t.TempDir(), "bridge")
		if err := os.WriteFile(path, given, 0o700); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		if err := sortUniversal(path); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("not sorted")
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if !info.ModTime().Equal(when) {
			t.Errorf("its time is %v", info.ModTime())
		}
	}
	if _, err := sortedUniversal(intel); err == nil {
		t.Error("took a program for one processor for a universal one")
	}
}

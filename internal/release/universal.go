package main

import (
	"bytes"
	"cmp"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

// sortUniversal puts the programs in a universal binary in the order of their
// processors. goreleaser joins them in the order in which their builds happened
// to end, so that the same commit gave one file or another. The file's time
// and mode stay.
func sortUniversal(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sorted, err := sortedUniversal(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.WriteFile(path, sorted, info.Mode()); err != nil {
		return err
	}
	return os.Chtimes(path, info.ModTime(), info.ModTime())
}

// sortedUniversal lays the programs out anew, each at a multiple of 16 KiB, as
// arm64 wants it. The header is big-endian whatever is behind it.
func sortedUniversal(data []byte) ([]byte, error) {
	fat, err := macho.NewFatFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	archs := slices.Clone(fat.Arches)
	slices.SortFunc(archs, func(a, b macho.FatArch) int { return cmp.Compare(a.Cpu, b.Cpu) })

	const bits, align = 14, 1 << 14
	var programs bytes.Buffer // from the first multiple on
	header := []uint32{macho.MagicFat, uint32(len(archs))}
	for _, a := range archs {
		programs.Write(make([]byte, -programs.Len()&(align-1)))
		header = append(header, uint32(a.Cpu), a.SubCpu, uint32(align+programs.Len()), a.Size, bits)
		programs.Write(data[a.Offset : a.Offset+a.Size])
	}
	var out bytes.Buffer
	if err := binary.Write(&out, binary.BigEndian, header); err != nil {
		return nil, err
	}
	out.Write(make([]byte, align-out.Len()))
	out.Write(programs.Bytes())
	return out.Bytes(), nil
}

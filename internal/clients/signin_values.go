package clients

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// endOf is the end of an access token.
func endOf(written time.Time, in, at number64) time.Time {
	if ms := float64(at); ms > 0 && ms < math.MaxInt32*4000 {
		return time.UnixMilli(int64(ms))
	}
	switch life := float64(in); {
	case math.IsNaN(life):
		return time.Time{}
	case life <= 0:
		return written
	default:
		return written.Add(time.Duration(min(life, maxTokenAge.Seconds())) * time.Second)
	}
}

// object reads a JSON object; its errors quote nothing.
func object(text []byte, v any) error {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte(bom)))
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, v) != nil {
		return ErrSyntax
	}
	return nil
}

// fits reports whether a token or a client's name is one that can be sent
// (RFC 6749, appendix A).
func fits(s string) bool {
	return s != "" && len(s) <= 64<<10 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// A number64 is a number, or a number in quotes as some servers have it. What
// is neither, or is not there, is NaN.
type number64 float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number64) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `" `), 64)
	if err != nil || math.IsInf(v, 0) {
		v = math.NaN()
	}
	*n = number64(v)
	return nil
}

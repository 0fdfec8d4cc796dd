package bridge

// stackRoom is about as much stack, in bytes, as sending a request through
// net/http takes.
const stackRoom = 12 << 10

// deepen gives a new goroutine the stack that it is going to need. Left to
// itself it begins with 2 KB and doubles it three or four times, and each time
// everything on it is looked up and moved, in tables that a process which has
// just started has not even in memory. Here there is nothing to move yet.
func deepen() { takeRoom(0) }

// takeRoom has a frame of stackRoom bytes, which is asked for at its entry. It
// does not use them: at is 0, which the compiler must not find out.
//
//go:noinline
func takeRoom(at int) byte {
	if at == 0 {
		return 0
	}
	var room [stackRoom]byte
	for i := range room {
		room[i] = byte(at + i)
	}
	return room[at%stackRoom]
}

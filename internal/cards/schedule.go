package cards

import "encoding/json"

// schedule reads the details of a conflict: the card's schedule now.
func schedule(details json.RawMessage) Recorded {
	var d struct {
		Schedule recorded `json:"reviewSchedule"`
	}
	_ = json.Unmarshal(details, &d) // what is missing is not shown
	return d.Schedule.plain()
}

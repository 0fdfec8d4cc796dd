package tui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// An action is what a key means on a card.
type action int

const (
	actNone action = iota
	actGo          // reveal, then Good
	actAgain
	actHard
	actGood
	actEasy
	actUndo
	actEdit
	actInfo
	actTags
	actPick
	actOpen
	actHelp
	actLeave
	actDown
	actUp
	actPageDown
	actPageUp
	actTop
	actEnd
)

// actionOf reads a key. The four grades are where 1 to 4 are on the keyboard,
// whatever they type there.
func actionOf(k tea.Key) action {
	switch k.Code {
	case tea.KeyEnter, tea.KeySpace, tea.KeyKpEnter:
		return actGo
	case tea.KeyEscape:
		return actLeave
	case tea.KeyDown:
		return actDown
	case tea.KeyUp:
		return actUp
	case tea.KeyPgDown:
		return actPageDown
	case tea.KeyPgUp:
		return actPageUp
	case tea.KeyHome:
		return actTop
	case tea.KeyEnd:
		return actEnd
	}
	if k.Mod.Contains(tea.ModCtrl) {
		switch k.Code {
		case 'c', 'd':
			return actLeave
		case 'z':
			return actUndo
		case 'f':
			return actPageDown
		case 'b':
			return actPageUp
		}
		return actNone
	}
	if k.Mod.Contains(tea.ModAlt) {
		return actNone
	}
	if n := digit(k); n > 0 {
		return actAgain + action(n-1)
	}
	r := k.Code
	if k.Text == "?" || k.Text == "/" || k.Text == "G" { // whatever keys make them
		r = []rune(k.Text)[0]
	} else if r > unicode.MaxASCII && k.BaseCode != 0 {
		r = k.BaseCode // a letter of another script: what the key is elsewhere
	}
	switch r {
	case 'u':
		return actUndo
	case 'e':
		return actEdit
	case 'i':
		return actInfo
	case 't':
		return actTags
	case '/':
		return actPick
	case 'o':
		return actOpen
	case '?', 'h', tea.KeyF1:
		return actHelp
	case 'q':
		return actLeave
	case 'j':
		return actDown
	case 'k':
		return actUp
	case 'g':
		return actTop
	case 'G':
		return actEnd
	}
	return actNone
}

// digit is 1 to 4 for the keys that carry these digits: by what they type in
// any script, by the keypad, by their place where the terminal tells it, and by
// what they type unshifted on a French keyboard.
func digit(k tea.Key) int {
	if k.Code >= tea.KeyKp1 && k.Code <= tea.KeyKp4 {
		return int(k.Code-tea.KeyKp1) + 1
	}
	if k.BaseCode >= '1' && k.BaseCode <= '4' {
		return int(k.BaseCode - '0')
	}
	r := k.Code
	if text := []rune(k.Text); len(text) == 1 {
		r = text[0]
	}
	switch r {
	case '&':
		return 1
	case 'é':
		return 2
	case '"':
		return 3
	case '\'':
		return 4
	}
	for n := 1; n <= 4; n++ {
		// Zeros of the scripts whose keyboards type digits of their own.
		for _, zero := range [...]rune{'0', 0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0x17e0, 0x1040, 0xff10} {
			if r == zero+rune(n) {
				return n
			}
		}
	}
	return 0
}

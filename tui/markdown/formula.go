package markdown

import "strings"

// Formula turns simple LaTeX into Unicode: Greek letters, common operators,
// fractions and roots on one line, superscripts and subscripts where Unicode
// has all of their characters. ok is false for anything else, which is then
// shown as its source: half a formula is worse than none.
func Formula(source string) (text string, ok bool) {
	f := formula{src: []rune(strings.TrimSpace(source)), ok: true}
	if len(f.src) > 500 {
		return "", false
	}
	text = f.group(0, 0)
	text = strings.Join(strings.Fields(text), " ")
	return text, f.ok && f.at == len(f.src) && text != ""
}

type formula struct {
	src []rune
	at  int
	ok  bool
}

// group reads up to end (0: to the end of the source).
func (f *formula) group(end rune, depth int) string {
	var b strings.Builder
	if depth > 12 {
		f.ok = false
		return ""
	}
	for f.ok && f.at < len(f.src) {
		r := f.src[f.at]
		switch r {
		case end:
			return b.String()
		case '}', '&', '%', '#', '~':
			if r != '~' {
				f.ok = false
			}
			f.at++
			b.WriteByte(' ')
		case '{':
			f.at++
			b.WriteString(f.group('}', depth+1))
			f.close('}')
		case '^', '_':
			f.at++
			b.WriteString(f.script(r, depth))
		case '\\':
			b.WriteString(f.command(depth))
		case '\'':
			f.at++
			b.WriteRune('′')
		case '-':
			f.at++
			b.WriteRune('−')
		case '*':
			f.at++
			b.WriteRune('∗')
		default:
			f.at++
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (f *formula) close(end rune) {
	if f.at < len(f.src) && f.src[f.at] == end {
		f.at++
		return
	}
	f.ok = false
}

// argument reads one: a group, a command or a character.
func (f *formula) argument(depth int) string {
	for f.at < len(f.src) && f.src[f.at] == ' ' {
		f.at++
	}
	if f.at >= len(f.src) || depth > 12 {
		f.ok = false
		return ""
	}
	switch r := f.src[f.at]; r {
	case '{':
		f.at++
		text := f.group('}', depth+1)
		f.close('}')
		return strings.TrimSpace(text)
	case '\\':
		return f.command(depth + 1)
	case '}', '^', '_':
		f.ok = false
		return ""
	default:
		f.at++
		return string(r)
	}
}

func (f *formula) script(which rune, depth int) string {
	arg := f.argument(depth)
	var b strings.Builder
	for _, r := range arg {
		if r == ' ' {
			continue
		}
		var s rune
		if which == '^' {
			s = superscript(r)
		} else {
			s = subscript(r)
		}
		if s == 0 {
			if strings.ContainsAny(arg, " +−=/") || len([]rune(arg)) > 1 {
				return string(which) + "(" + arg + ")"
			}
			return string(which) + arg
		}
		b.WriteRune(s)
	}
	return b.String()
}

// wrapped puts parentheses around what is more than one symbol.
func wrapped(text string) string {
	if strings.ContainsAny(text, " +−/=·×,") {
		return "(" + text + ")"
	}
	return text
}

func (f *formula) command(depth int) string {
	f.at++ // the backslash
	start := f.at
	for f.at < len(f.src) && (f.src[f.at] >= 'a' && f.src[f.at] <= 'z' || f.src[f.at] >= 'A' && f.src[f.at] <= 'Z') {
		f.at++
	}
	if f.at == start {
		if f.at >= len(f.src) {
			f.ok = false
			return ""
		}
		f.at++
		switch r := f.src[start]; r {
		case ',', ';', ':', ' ', '!':
			return " "
		case '{', '}', '%', '$', '&', '#', '_':
			return string(r)
		case '|':
			return "‖"
		}
		f.ok = false // \\ and others lay out more than a line
		return ""
	}
	switch name := string(f.src[start:f.at]); name {
	case "frac", "dfrac", "tfrac":
		return wrapped(f.argument(depth)) + "/" + wrapped(f.argument(depth))
	case "sqrt":
		root := "√"
		if f.at < len(f.src) && f.src[f.at] == '[' {
			f.at++
			n := f.group(']', depth+1)
			f.close(']')
			switch n {
			case "3":
				root = "∛"
			case "4":
				root = "∜"
			default:
				f.ok = false
			}
		}
		arg := f.argument(depth)
		if len([]rune(arg)) > 1 {
			arg = "(" + arg + ")"
		}
		return root + arg
	case "text", "mathrm", "operatorname", "mathbf", "mathit", "textbf", "textit", "mathsf":
		return f.argument(depth)
	case "mathbb":
		return f.double(f.argument(depth))
	case "bar", "overline":
		return f.accent(depth, "\u0304")
	case "hat":
		return f.accent(depth, "\u0302")
	case "vec":
		return f.accent(depth, "\u20d7")
	case "dot":
		return f.accent(depth, "\u0307")
	case "tilde":
		return f.accent(depth, "\u0303")
	case "left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "limits":
		if f.at < len(f.src) && f.src[f.at] == '.' {
			f.at++
		}
		return ""
	case "quad", "qquad":
		return "  "
	case "sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "det", "gcd", "arg", "dim", "ker", "mod":
		return " " + name + " "
	default:
		if s := symbol(name); s != "" {
			return s
		}
	}
	f.ok = false
	return ""
}

func (f *formula) accent(depth int, mark string) string {
	arg := f.argument(depth)
	if len([]rune(arg)) != 1 {
		f.ok = false
	}
	return arg + mark
}

func (f *formula) double(arg string) string {
	switch arg {
	case "R":
		return "ℝ"
	case "N":
		return "ℕ"
	case "Z":
		return "ℤ"
	case "Q":
		return "ℚ"
	case "C":
		return "ℂ"
	}
	f.ok = false
	return ""
}

func symbol(name string) string {
	const table = " alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ " +
		"sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω " +
		"cdot · times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ " +
		"infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ int ∫ iint ∬ oint ∮ forall ∀ exists ∃ nexists ∄ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ " +
		"cup ∪ cap ∩ emptyset ∅ varnothing ∅ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ neg ¬ lnot ¬ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ angle ∠ " +
		"to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ " +
		"ldots … dots … cdots ⋯ vdots ⋮ prime ′ degree ° hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ therefore ∴ because ∵ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ mid | "
	_, rest, found := strings.Cut(table, " "+name+" ")
	if !found {
		return ""
	}
	s, _, _ := strings.Cut(rest, " ")
	return s
}

func superscript(r rune) rune {
	const from, to = "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW′∘", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ′°"
	return translate(r, from, to)
}

func subscript(r rune) rune {
	const from, to = "0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
	return translate(r, from, to)
}

func translate(r rune, from, to string) rune {
	n := 0
	for _, x := range from {
		if x == r {
			for _, y := range to {
				if n == 0 {
					return y
				}
				n--
			}
		}
		n++
	}
	return 0
}

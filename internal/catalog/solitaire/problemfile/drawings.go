package problemfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pagoda/internal/peg"
)

// A Drawn problem is a start, and perhaps a goal, as a file draws them. Each text begins with as many empty lines as
// come before it in the file, so that errors about it name the lines of the file.
type Drawn struct {
	Name        string
	Start, Goal string
}

// labelForm is the label of a drawing, in the line before it or in its own.
var labelForm = regexp.MustCompile(`(?i)^\s*[#;%*]*\s*(start|initial|init|goal|final|finish|target)\b[^:=]*[:=]?\s*`)

// goalWords are the labels of goals.
var goalWords = []string{"goal", "final", "finish", "target"}

// missing is about the label of a goal with no goal behind it or below.
func missing(line int) error {
	return fmt.Errorf("%w: line %d: no goal stands below it; one in the line itself stands behind a colon", ErrFile, line)
}

// ReadDrawings reads the drawings of a text, with empty lines or lines of words between them. A drawing below the word
// goal, or one of the same meaning, is the goal of the one before it, and so are words in the line, such as goal: any.
// Of two drawings without words the second is the goal. All others begin a problem. Words that stand alone before it
// are its name.
func ReadDrawings(text string) ([]Drawn, error) {
	type block struct {
		name, text string
		line       int
		goal, said bool
	}
	var blocks []block
	var now block
	end := func() {
		if now.text != "" {
			blocks = append(blocks, now)
			now = block{}
		}
	}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		drawn := peg.IsDrawing(line) && strings.Trim(line, "-/ \t") != ""
		if label := labelForm.FindStringSubmatch(line); label != nil {
			end()
			goal := slices.Contains(goalWords, strings.ToLower(label[1]))
			if now.goal && !goal {
				return nil, missing(now.line)
			}
			now.said, now.goal, now.line = true, goal, number
			line = line[len(label[0]):]
			drawn = peg.IsDrawing(line)
			switch {
			case !drawn && line == "":
				continue
			case !drawn && !now.goal:
				return nil, fmt.Errorf("%w: line %d: the start %q is not drawn; only a drawing says which board it is on",
					ErrFile, number, strings.TrimSpace(line))
			case !drawn:
				now.text, now.line = strings.Repeat("\n", number-1)+line, number
				end()
				continue
			}
		}
		switch {
		case drawn && now.text == "":
			now.text, now.line = strings.Repeat("\n", number-1), number
			fallthrough
		case drawn:
			now.text += line + "\n"
		default:
			end()
			if word := strings.TrimSpace(line); strings.Trim(word, "-=/") != "" {
				now.name = word
			}
		}
	}
	end()
	if now.goal {
		return nil, missing(now.line)
	}
	if len(blocks) == 2 && !blocks[0].said && !blocks[1].said {
		blocks[1].goal = true
	}
	var list []Drawn
	for _, b := range blocks {
		switch {
		case !b.goal:
			list = append(list, Drawn{b.name, b.text, ""})
		case len(list) == 0 || list[len(list)-1].Goal != "":
			return nil, fmt.Errorf("%w: line %d: a goal without a start before it", ErrFile, b.line)
		default:
			list[len(list)-1].Goal = b.text
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%w: no drawing is in it, and no (define (problem ...)) of PDDL", ErrFile)
	}
	return list, nil
}

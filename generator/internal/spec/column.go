package spec

// A longLine is a line so long that finding a column from its start, time after
// time, would cost more than reading the document: minified JSON is one line.
const longLine = 4096

// stride is how many columns lie between two marks in a long line.
const stride = 512

// offset is the byte at which a column of a line, counted in characters from 1,
// begins. Lines count from 1 and must be there.
func (s *source) offset(line, column int) int {
	text := s.lines[line-1]
	if len(text) < longLine || column < stride {
		return columnOffset(text, column)
	}
	marks := s.marksOf(line)
	i := min((column-1)/stride, len(marks)-1)
	return marks[i] + columnOffset(text[marks[i]:], column-i*stride)
}

// marksOf returns the bytes at which columns 1, 1+stride, 1+2*stride and so on
// of a line begin.
func (s *source) marksOf(line int) []int {
	if marks, ok := s.marks[line]; ok {
		return marks
	}
	var marks []int
	column := 0
	for i := range s.lines[line-1] {
		if column%stride == 0 {
			marks = append(marks, i)
		}
		column++
	}
	if s.marks == nil {
		s.marks = make(map[int][]int)
	}
	s.marks[line] = marks
	return marks
}

// columnOffset is the byte at which a column of a text begins, its end where it
// has fewer columns.
func columnOffset(line string, column int) int {
	at := 1
	for i := range line {
		if at >= column {
			return i
		}
		at++
	}
	return len(line)
}

package runtime

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// Every number has one encoding, whatever its Go type or spelling: an integer
// of at most 64 bits is sign and magnitude, any other number is its decimal
// digits without zeros at either end and a power of ten.

// Int writes an integer.
func (h *Hasher) Int(v int64) {
	h.begin()
	if v < 0 {
		h.integer(true, -uint64(v))
		return
	}
	h.integer(false, uint64(v))
}

// Uint writes an integer that is not negative.
func (h *Hasher) Uint(v uint64) {
	h.begin()
	h.integer(false, v)
}

// Float writes a number. An integral one equals the integer of its value, and
// zero has no sign. A float32 is converted, not reprinted: 0.1 as a float32 and
// 0.1 as a float64 are different numbers.
func (h *Hasher) Float(v float64) {
	h.begin()
	if magnitude := math.Abs(v); magnitude < 1<<64 && magnitude == math.Trunc(magnitude) {
		h.integer(v < 0, uint64(magnitude))
		return
	}
	var text [32]byte
	h.number(strconv.AppendFloat(text[:0], v, 'e', -1, 64))
}

func (h *Hasher) integer(negative bool, magnitude uint64) {
	h.tag(tagInteger)
	sign := byte('+')
	if negative && magnitude != 0 {
		sign = '-'
	}
	h.buf = append(h.buf, sign)
	h.buf = binary.BigEndian.AppendUint64(h.buf, magnitude)
}

// number writes a decimal number by its value. What is none (an infinity, a
// json.Number that was not decoded from JSON) counts as written.
func (h *Hasher) number(text []byte) {
	var scratch [48]byte
	d, ok := parseDecimal(text, scratch[:0])
	if !ok {
		h.writeShort(tagVerbatim, text)
		return
	}
	if magnitude, ok := d.magnitude(); ok {
		h.integer(d.negative, magnitude)
		return
	}
	h.tag(tagDecimal)
	sign := byte('+')
	if d.negative {
		sign = '-'
	}
	h.buf = append(h.buf, sign)
	h.buf = binary.BigEndian.AppendUint64(h.buf, uint64(d.exponent))
	h.writeShort(tagString, d.digits)
}

// A decimal is the number 0.digits times ten to the exponent. Its digits have
// no zero at either end; zero has none.
type decimal struct {
	negative bool
	digits   []byte
	exponent int64
}

// maxExponentDigits bounds a written exponent to what an int64 can hold, with
// room for the digits of any number that fits into memory.
const maxExponentDigits = 17

// parseDecimal reads a number of JSON's grammar; leading zeros are let through.
// It appends the digits to scratch.
func parseDecimal(text, scratch []byte) (d decimal, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	whole, text := cutDigits(text)
	var fraction []byte
	if len(text) > 0 && text[0] == '.' {
		if fraction, text = cutDigits(text[1:]); len(fraction) == 0 {
			return d, false
		}
	}
	exponent, ok := parseExponent(text)
	if !ok || len(whole) == 0 {
		return d, false
	}
	digits := append(append(scratch, whole...), fraction...)
	significant := bytes.TrimLeft(digits, "0")
	d.digits = bytes.TrimRight(significant, "0")
	d.exponent = exponent + int64(len(whole)) - int64(len(digits)-len(significant))
	return d, true
}

// parseExponent reads what follows the digits of a number, which may be nothing.
func parseExponent(text []byte) (exponent int64, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	text = text[1:]
	negative := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		negative = text[0] == '-'
		text = text[1:]
	}
	digits, rest := cutDigits(text)
	if len(digits) == 0 || len(rest) > 0 {
		return 0, false
	}
	if digits = bytes.TrimLeft(digits, "0"); len(digits) > maxExponentDigits {
		return 0, false
	}
	for _, c := range digits {
		exponent = exponent*10 + int64(c-'0')
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

func cutDigits(text []byte) (digits, rest []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// magnitude returns the number without its sign, if that is an integer of 64
// bits.
func (d *decimal) magnitude() (uint64, bool) {
	if len(d.digits) == 0 {
		return 0, true
	}
	if d.exponent < int64(len(d.digits)) || d.exponent > 20 { // a fraction, or beyond 2^64
		return 0, false
	}
	var m uint64
	for i := range d.exponent {
		digit := uint64(0)
		if i < int64(len(d.digits)) {
			digit = uint64(d.digits[i] - '0')
		}
		if m > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		m = m*10 + digit
	}
	return m, true
}

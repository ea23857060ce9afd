package redistest

// Slots is how many hash slots a Redis Cluster has.
const Slots = 16384

// SlotOf is the hash slot of a key without braces: CRC-16/XMODEM, as the Redis
// Cluster specification has it.
func SlotOf(key string) int {
	crc := uint16(0)
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return int(crc) % Slots
}

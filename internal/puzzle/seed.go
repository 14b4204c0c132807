package puzzle

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"pagoda/internal/puzzle/setting"
)

const seedFlag = "seed"

// SeedFlag is the flag of a question whose answer is drawn at random. drawn is the part that the seed decides.
func SeedFlag(drawn string) setting.Setting {
	return setting.Setting{Name: seedFlag, Kind: setting.Integer, Default: "0", Max: math.MaxUint64,
		Doc: "number that decides " + drawn}
}

// Draws returns the random numbers of the seed among some flags: the same ones on every machine.
func Draws(flags setting.Values) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], flags.Uint(seedFlag))
	return rand.NewChaCha8(key)
}

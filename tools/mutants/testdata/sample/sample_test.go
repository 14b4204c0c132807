package sample

import "testing"

func TestHalf(t *testing.T) {
	if n, err := Half(6); n != 3 || err != nil {
		t.Errorf("half of 6: %d, %v", n, err)
	}
	if _, err := Half(-6); err == nil {
		t.Error("half of -6: no error")
	}
}

func TestSum(t *testing.T) {
	if n := Sum([]int{0, 1, 2}); n != 3 {
		t.Errorf("sum: %d", n)
	}
}

func TestWait(*testing.T) { Wait(false) }

func TestSame(t *testing.T) {
	if n := Same(5); n != 5 {
		t.Errorf("same as 5: %d", n)
	}
}

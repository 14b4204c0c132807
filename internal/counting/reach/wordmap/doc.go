// Package wordmap moves the bits of 64-bit words by tables, for many words at a time.
//
// A map says for each bit of a word which bit of another word it comes from, if any. Maps come in families: which map
// of a family applies to a word is decided by two numbers that are XORed, one of the pair of words and one of the job.
// So only one number differs from call to call, and tables are made once.
//
// There are three ways, which give the same bits: one instruction that gathers the 64 bits of a word by a table of
// bytes (VPSHUFBITQMB of AVX-512 BITALG); where maps keep the order of the bits, one that extracts bits under a mask
// and one that deposits them under another (PEXT and PDEP of BMI2); and, with the build tag purego or on other
// machines, steps by powers of two.
package wordmap

// Package wordmap moves the bits of 64-bit words by tables, for many words at a time.
//
// A map says for each bit of a word which bit of another word it comes from, if any. Maps come in families: which map
// of a family applies to a word is decided by two numbers that are XORed, one of the pair of words and one of the job.
// So only one number differs from call to call, and tables are made once.
//
// There are three ways, which give the same bits. One instruction of AVX-512 BITALG (VPSHUFBITQMB) gathers the 64 bits
// of a word by a table of bytes. A few of AVX2 shuffle the bytes of the word, and look for one bit in each. On other
// machines, and with the build tag purego, bits go in steps of powers of two, where maps keep their order.
package wordmap

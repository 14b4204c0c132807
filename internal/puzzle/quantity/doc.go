// Package quantity writes sizes, times and numbers for people, and reads the sizes and rates that people write.
package quantity

package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"pagoda/internal/app/estimate"
)

// priceFlags are the prices of which plan tells the cost.
type priceFlags struct{ estimate.Prices }

// add adds the prices of cores and memory.
func (p *priceFlags) add(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&p.CoreHour, "price-core-hour", 0, "`price` of a core for an hour, in any currency")
	cmd.Flags().Float64Var(&p.GBHour, "price-gb-hour", 0, "`price` of a GB of memory for an hour")
	completeNothing(cmd, "price-core-hour", "price-gb-hour")
}

// prices are the prices that are given; nil where none is above 0.
func (p *priceFlags) prices() (*estimate.Prices, error) {
	for _, given := range []struct {
		flag  string
		price float64
	}{{"price-core-hour", p.CoreHour}, {"price-gb-hour", p.GBHour}, {"price-gb", p.GB}} {
		if !(given.price >= 0) || math.IsInf(given.price, 0) {
			return nil, usage(fmt.Sprintf("--%s %v: want a price of 0 or more", given.flag, given.price),
				"write --"+given.flag+" 0.04")
		}
	}
	if p.Prices == (estimate.Prices{}) {
		return nil, nil
	}
	return &p.Prices, nil
}

// completeNothing says that a shell has no files to offer for these flags.
func completeNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions); err != nil {
			panic(err) // the flag is defined
		}
	}
}

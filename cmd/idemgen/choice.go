package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is the value of a flag that takes one of a few words.
type choice struct {
	word  string
	words []string
}

// choose adds a flag to a command. The first word is the default. The shell
// completes the words.
func choose(cmd *cobra.Command, name, usage string, words ...string) *choice {
	c := &choice{words[0], words}
	cmd.Flags().Var(c, name, usage+": "+strings.Join(words, ", "))
	// It fails where the command has no such flag, which it has.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// String implements pflag.Value.
func (c *choice) String() string { return c.word }

// Type implements pflag.Value: it is what --help shows for the value.
func (c *choice) Type() string { return "word" }

// Set implements pflag.Value.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("one of %s is wanted", strings.Join(c.words, ", "))
	}
	c.word = word
	return nil
}

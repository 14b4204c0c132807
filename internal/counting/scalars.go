package counting

// Names of the scalars that a window reports.
const (
	SumClasses   = "classes"        // symmetry classes
	SumPositions = "positions"      // positions in those classes
	SumPaths     = "paths"          // ways to reach them from the start
	SumDead      = "dead_positions" // positions without a jump
	SumEnded     = "games_ended"    // paths into those
	SumGoal      = "goal_paths"     // paths into the goal, or into all goals
	SumGoalEnded = "goal_games"     // those of them that end there; of several goals alone
	SumLost      = "lost"           // chances that were rounded down, by how much: see Enumeration.Split
	SumGained    = "gained"         // chances that were rounded up
	MaxPaths     = "max_paths"      // most paths into one position
)

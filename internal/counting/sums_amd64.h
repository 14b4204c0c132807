// The fields of stretchSums.
#define PATHS   0
#define ENDED   64
#define LARGEST 128
#define OUT     192
#define DEAD    448

package runtime

// IsAtLeastVersion0_1 is named by generated code that needs at least version
// 0.1 of this package. If it does not compile, the module is older than the
// generator that wrote the code: update github.com/idemgen/idemgen.
const IsAtLeastVersion0_1 = true

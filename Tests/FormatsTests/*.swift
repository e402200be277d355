// x
// x
// y
// z
// z
// zz

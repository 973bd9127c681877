package a
const A

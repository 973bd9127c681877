package a
import "a b"

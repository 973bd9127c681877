interface I { I() { } }

interface I { static { } }

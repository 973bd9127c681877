b"a" "b"

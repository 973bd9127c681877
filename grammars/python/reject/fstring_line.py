x = f"{a
}"

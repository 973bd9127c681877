try:
  a

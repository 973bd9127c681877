int f()
{ /* no comments */
}
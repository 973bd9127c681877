// a\uff
class A { }

class A { } // ab

sealed @interface A { }

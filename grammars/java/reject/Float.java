class C { float f = 653e-79f; }

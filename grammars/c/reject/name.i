int a“;

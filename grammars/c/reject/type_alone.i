typedef int T; T;

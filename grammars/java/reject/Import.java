import A;

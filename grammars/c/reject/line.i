#####
int a;

struct s { T; };

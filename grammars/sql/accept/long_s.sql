SELECT ſelect, Key FROM tſ;

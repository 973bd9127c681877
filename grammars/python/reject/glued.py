a inb

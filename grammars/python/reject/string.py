x = 'a
'

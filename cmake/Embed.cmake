# Writes OUTPUT: the file INPUT as a raw string literal.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"lathe(${text})lathe\"")

# cmake -P Sum.cmake FILE OUT: writes the SHA-256 of FILE, without its name, to OUT.
file(SHA256 ${CMAKE_ARGV3} sum)
file(WRITE ${CMAKE_ARGV4} "${sum}\n")

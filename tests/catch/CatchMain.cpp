// main() of every Catch2 program: its slow header is compiled once, here.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

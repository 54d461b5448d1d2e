// What the tools read from a command line and print to be put on one.
#include "tools/moec/terminal.h"

#include <catch2/catch.hpp>

using namespace moec;
using namespace moec::tool;

TEST_CASE("Terminal_shellQuote_isReadBackByAShell") {
  CHECK(shellQuote("kimi-k2-tp8") == "kimi-k2-tp8");
  CHECK(shellQuote("./my.json") == "./my.json");
  CHECK(shellQuote("") == "''");
  CHECK(shellQuote("my file.json") == "'my file.json'");
  CHECK(shellQuote(R"({"hidden":64})") == R"('{"hidden":64}')");
  CHECK(shellQuote("it's") == R"('it'\''s')");
}

TEST_CASE("Terminal_parseSeed_takes64BitsWithoutASign") {
  CHECK(*parseSeed("0") == 0);
  CHECK(*parseSeed("18446744073709551615") == ~uint64_t(0));
  for (const char *bad : {"-1", "18446744073709551616", "7x", " 7", "+7"})
    CHECK(parseSeed(bad).status().code() == ErrorCode::Usage);
}

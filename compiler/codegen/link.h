// Object file to code object: lld in process.
#pragma once

#include <string>

namespace moec {

/// Links one relocatable AMDGPU object into a code object (ET_DYN), through
/// memory only. Returns an empty string, or lld's messages. lld has one global
/// context a process, so calls wait for each other (0.6 ms each).
std::string linkCodeObject(const std::string &object, std::string &hsaco);

} // namespace moec

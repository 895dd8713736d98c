// expect: success
#include <portops/portops.hpp>

int main() { return 0; }

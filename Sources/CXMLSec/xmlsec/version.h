#include <xmlsec1/xmlsec/version.h>

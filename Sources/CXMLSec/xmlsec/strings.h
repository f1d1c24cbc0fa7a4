#include <xmlsec1/xmlsec/strings.h>

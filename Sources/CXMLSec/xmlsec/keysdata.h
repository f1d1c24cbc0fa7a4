#include <xmlsec1/xmlsec/keysdata.h>

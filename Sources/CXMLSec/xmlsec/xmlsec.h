#include <xmlsec1/xmlsec/xmlsec.h>

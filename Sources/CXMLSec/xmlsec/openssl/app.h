#include <xmlsec1/xmlsec/openssl/app.h>

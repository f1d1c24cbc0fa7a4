#pragma once
// The header of xmlsec's version alone: the rest comes with the SAML exchange.
#include <xmlsec1/xmlsec/version.h>

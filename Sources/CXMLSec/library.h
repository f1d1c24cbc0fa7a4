#pragma once
// libxmlsec1 with its OpenSSL backend, libxml2 and zlib.
//
// The headers of the first two include each other by names that Debian keeps below directories of their own, and
// SwiftPM refuses the definitions among the flags that pkg-config would give. So each of them that is needed is
// forwarded from a file of its name below this directory, and the definitions stand here: they are what the library
// was built with, `pkg-config --cflags xmlsec1-openssl`.
#define XMLSEC_NO_SIZE_T 1
#define XMLSEC_NO_GOST 1
#define XMLSEC_NO_GOST2012 1
#define XMLSEC_NO_CRYPTO_DYNAMIC_LOADING 1
#define XMLSEC_OPENSSL3_ENGINES 1
#define XMLSEC_CRYPTO_OPENSSL 1
// Of what is not used: it would want libxslt's headers.
#define XMLSEC_NO_XSLT 1

// ICU's types, which Foundation has its own of, would come with one struct that is used through pointers alone.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <xmlsec/xmlsec.h>
#include <xmlsec/errors.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/openssl/app.h>
#include <xmlsec/openssl/crypto.h>
#include <zlib.h>

#include <libxml2/libxml/xmlversion.h>

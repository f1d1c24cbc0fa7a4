#!/usr/bin/env python3
"""A SAML identity provider by pysaml2: prints one SAMLResponse in Base64, as a browser would post it.

Signs with the Debian tool xmlsec1, so neither the document nor its signature comes from code of this project.
Arguments are JSON on standard input:

    {"key": "key.pem", "certificate": "cert.pem", "issuer": "https://...", "audience": "https://...",
     "recipient": "https://...", "user": "joe", "attributes": {"groups": ["Manager"]}, "lifetime": 600,
     "sign": "assertion" or "response" or "both", "algorithm": "rsa-sha256", "digest": "sha256"}
"""

import base64
import json
import logging
import sys
import time

from saml2 import BINDING_HTTP_POST, xmldsig
from saml2.config import IdPConfig
from saml2.saml import NAME_FORMAT_UNSPECIFIED, NAMEID_FORMAT_UNSPECIFIED, NameID
from saml2.server import Server

SIGNATURES = {
    "rsa-sha256": xmldsig.SIG_RSA_SHA256,
    "rsa-sha384": xmldsig.SIG_RSA_SHA384,
    "rsa-sha512": xmldsig.SIG_RSA_SHA512,
    "rsa-sha1": xmldsig.SIG_RSA_SHA1,
    "ecdsa-sha256": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
}
DIGESTS = {
    "sha256": xmldsig.DIGEST_SHA256,
    "sha384": xmldsig.DIGEST_SHA384,
    "sha512": xmldsig.DIGEST_SHA512,
    "sha1": xmldsig.DIGEST_SHA1,
}

SERVICE = """<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{audience}">
<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAssertionsSigned="true">
<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="{recipient}" index="1"/>
</md:SPSSODescriptor></md:EntityDescriptor>"""


def main():
    logging.disable(logging.CRITICAL)
    said = json.load(sys.stdin)
    config = IdPConfig().load(
        {
            "entityid": said["issuer"],
            "xmlsec_binary": "/usr/bin/xmlsec1",
            "key_file": said["key"],
            "cert_file": said["certificate"],
            "metadata": {"inline": [SERVICE.format(**said)]},
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": [(said["issuer"], BINDING_HTTP_POST)]},
                    "policy": {
                        "default": {
                            "lifetime": {"seconds": said.get("lifetime", 600)},
                            "name_form": NAME_FORMAT_UNSPECIFIED,
                            "attribute_restrictions": None,
                            "fail_on_missing_requested": False,
                        }
                    },
                }
            },
        }
    )
    server = Server(config=config)
    sign = said.get("sign", "assertion")
    response = server.create_authn_response(
        said.get("attributes", {}),
        said.get("inResponseTo", "_unsolicited"),
        said["recipient"],
        sp_entity_id=said["audience"],
        name_id=NameID(format=NAMEID_FORMAT_UNSPECIFIED, text=said["user"]),
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_instant": int(time.time())},
        sign_assertion=sign in ("assertion", "both"),
        sign_response=sign in ("response", "both"),
        sign_alg=SIGNATURES[said.get("algorithm", "rsa-sha256")],
        digest_alg=DIGESTS[said.get("digest", "sha256")],
    )
    print(base64.b64encode(str(response).encode()).decode())


if __name__ == "__main__":
    main()

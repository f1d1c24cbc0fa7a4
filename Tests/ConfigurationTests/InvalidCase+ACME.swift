/// Mistakes in certificates of an authority.
extension InvalidCase {
    /// `acme` is in line 3, the certificates of the listener in line 5.
    private static func acme(
        _ id: String, _ section: String = #"{"termsAgreed": true}"#,
        certificate: String = #"{"names": ["a.example.com"]}"#,
        _ errors: String...
    ) -> InvalidCase {
        let gateway = """
            {
            "baseUrl": "https://a.example.com",
            "acme": \(section),
            "listeners": [{ "address": "::1", "port": 80, "redirectToHttps": true }, { "address": "::1", "port": 443, "tls": {
            "certificates": [\(certificate)] }}]}
            """
        return InvalidCase(id, files: ["gateway.json": gateway].merging(pemFiles) { $1 }, errors)
    }

    static let acmeCases: [InvalidCase] = [
        acme(
            "acme-terms", #"{}"#,
            #"gateway.json:3: error: /acme/termsAgreed: the authority makes accounts for those only who agree to its terms (expected true)"#
        ),
        acme(
            "acme-terms-refused", #"{"termsAgreed": false}"#,
            #"gateway.json:3: error: /acme/termsAgreed: the authority makes accounts for those only who agree to its terms (expected true)"#
        ),
        acme(
            "acme-plain", #"{"termsAgreed": true, "directory": "http://ca.example.com"}"#,
            #"gateway.json:3: error: /acme/directory: not encrypted (expected an https URL, found "http://ca.example.com")"#
        ),
        acme(
            "acme-contact", #"{"termsAgreed": true, "contact": ["a@b.example?cc=x", "mailto:a", "a,b@c.example"]}"#,
            #"gateway.json:3: error: /acme/contact/0: invalid value (expected an e-mail address, found "a@b.example?cc=x")"#,
            #"gateway.json:3: error: /acme/contact/1: invalid value (expected an e-mail address, found "mailto:a")"#,
            #"gateway.json:3: error: /acme/contact/2: invalid value (expected an e-mail address, found "a,b@c.example")"#
        ),
        acme(
            "acme-account", #"{"termsAgreed": true, "externalAccount": {"keyId": "k", "key": "not base64url !"}}"#,
            #"gateway.json:3: error: /acme/externalAccount/key: the secret is no key in base64url of 16 bytes or more (expected the key as the authority gives it)"#
        ),
        acme(
            "acme-none", #"null"#,
            #"gateway.json:3: error: /acme: wrong type (expected an object: {"termsAgreed": true}, found null)"#),
        acme(
            "acme-wildcard", certificate: #"{"names": ["*.example.com", "a.example.com", "a.example.com"]}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/0: an authority proves no wildcards over HTTP (expected single names, or files of another program, found "*.example.com")"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/2: "a.example.com" is listed twice"#
        ),
        acme(
            "acme-address", certificate: #"{"names": ["192.0.2.1", "::1", "a..b", "a b", ""]}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/0: invalid value (expected a DNS name, found "192.0.2.1")"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/1: invalid value (expected a DNS name, found "::1")"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/2: invalid value (expected a DNS name, found "a..b")"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/3: invalid value (expected a DNS name, found "a b")"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names/4: invalid value (expected a DNS name, found "")"#
        ),
        acme(
            "acme-no-name", certificate: #"{"names": []}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names: wrong number of names (expected 1 to 100 DNS names, found 0)"#
        ),
        acme(
            "acme-two-sources",
            certificate: #"{"names": ["a.example.com"], "certFile": "cert.pem", "keyFile": "key.pem"}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/names: "names" and "certFile" exclude each other (expected one of the two)"#
        ),
        acme(
            "acme-response", certificate: #"{"names": ["a.example.com"], "ocspFile": "cert.pem"}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/ocspFile: the key of "names" is made by the gateway (expected "certFile" with its "keyFile")"#
        ),
        acme(
            "acme-key", certificate: #"{"names": ["a.example.com"], "keyFile": "key.pem"}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/keyFile: the key of "names" is made by the gateway (expected "certFile" with its "keyFile")"#
        ),
        acme(
            "certificate-without-key", certificate: #"{"certFile": "cert.pem"}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/keyFile: required member "keyFile" is missing (expected a PEM file)"#
        ),
        acme(
            "certificate-empty", certificate: #"{}"#,
            #"gateway.json:5: error: /listeners/1/tls/certificates/0/certFile: required member "certFile" is missing (expected a PEM file, or "names" for a certificate of "acme")"#
        ),
    ]
}

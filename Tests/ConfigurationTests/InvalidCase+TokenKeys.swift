/// Mistakes in keys for encrypted tokens and in authorities of issuers.
extension InvalidCase {
    private static let place = "trustedIssuers.json:2: error: /trustedIssuers/0"

    private static func trusted(
        _ id: String, _ members: String, keys: String = #""jwksFile": "keys.txt", "#, _ errors: String...
    ) -> InvalidCase {
        let text =
            "[{ \"name\": \"idp\", \"issuer\": \"https://idp\", \"audience\": [\"a\"],\n\(keys)\(members) }]"
        return InvalidCase(
            id, files: ["trustedIssuers.json": text, "keys.txt": "{}"].merging(pemFiles) { $1 }, errors)
    }

    static let tokenKeyCases: [InvalidCase] = [
        trusted(
            "decryption-keys-none", #""decryptionKeys": [{}, {"keyFile": "key.pem", "key": "x"}]"#,
            "\(place)/decryptionKeys/0: there is no key (expected \"keyFile\" or \"key\")",
            "\(place)/decryptionKeys/1/key: \"key\" and \"keyFile\" exclude each other (expected one of the two)"),
        trusted(
            "decryption-keys-file", #""decryptionKeys": [{"keyFile": "cert.pem"}]"#,
            "\(place)/decryptionKeys/0/keyFile: the file holds no private key (expected a PEM file with a private key, found \"cert.pem\")"
        ),
        trusted(
            "encrypted-without-keys", #""encrypted": "required""#,
            "\(place)/encrypted: no key decrypts the tokens (expected \"decryptionKeys\" beside it)"),
        trusted(
            "encrypted-value", #""encrypted": "always", "decryptionKeys": [{"keyFile": "key.pem"}]"#,
            "\(place)/encrypted: invalid value (expected \"optional\" or \"required\", found \"always\")"),
        trusted(
            "encrypted-introspected", #""decryptionKeys": [{"keyFile": "key.pem"}]"#,
            keys: #""introspection": {"url": "https://idp/i", "clientId": "c", "clientSecret": "s"}, "#,
            "\(place)/decryptionKeys: the server reads the tokens (expected no \"decryptionKeys\" beside \"introspection\")"
        ),
        trusted(
            "x5c-without-names", #""x5c": {"caFile": "cert.pem"}"#, keys: "",
            "\(place)/x5c: the signer has no names (expected \"names\", or \"dedicatedCa\": true)"),
        trusted(
            "x5c-names-twice", #""x5c": {"caFile": "cert.pem", "names": ["dns:a"], "dedicatedCa": true}"#, keys: "",
            "\(place)/x5c/names: \"dedicatedCa\" is for authorities without \"names\" (expected no \"dedicatedCa\": true)"
        ),
        trusted(
            "x5c-names-empty", #""x5c": {"caFile": "cert.pem", "names": []}"#, keys: "",
            "\(place)/x5c/names: the list is empty (expected at least one pattern)"),
        trusted(
            "x5c-pattern", #""x5c": {"caFile": "none", "names": ["a.example"]}"#, keys: "",
            "\(place)/x5c/caFile: the file \"none\" does not exist (expected a PEM file with certificates)",
            "\(place)/x5c/names/0: invalid value (expected \"subject:\", \"dns:\", \"email:\", \"uri:\" or \"ip:\" and a pattern, found \"a.example\")"
        ),
        trusted(
            "x5c-and-keys", #""x5c": {"caFile": "cert.pem", "dedicatedCa": true}"#,
            "\(place)/x5c: \"x5c\" and \"jwksFile\" exclude each other (expected one of the two)"),
        trusted(
            "x5c-and-published", #""x5c": {"caFile": "cert.pem", "dedicatedCa": true}"#,
            keys: #""jwksUri": "https://idp/keys", "#,
            "\(place)/jwksUri: \"jwksUri\" and \"x5c\" exclude each other (expected one of the two)"),
    ]
}

import Model

/// Mistakes in service domains and authentication schemes (OMS-01, SCH-01, SCH-03).
extension InvalidCase {
    private static let application = #""applications": { "App": { "backend": "inventory/1.0" } }"#

    private static func domain(_ members: String, name: String = "Domain") -> [String: String] {
        ["serviceDomains.json": "{ \"\(name)\": {\n\(members) } }"]
    }

    private static func app(_ members: String) -> [String: String] {
        domain(#""applications": { "App": { "backend": "inventory/1.0", \#(members) } }"#)
    }

    private static func webgates(_ schemes: String, _ webgates: String = #"{ "name": "MainWG", "level": 2 }"#)
        -> [String: String]
    {
        ["webgates.json": "{\n\"authenticationSchemes\": [\(schemes)],\n\"webgates\": [\(webgates)]\n}"]
    }

    static let mobileSocialCases: [InvalidCase] = [
        InvalidCase(
            "domain-empty", domain(""),
            #"serviceDomains.json:1: error: /serviceDomains/Domain/applications: required member "applications" is missing (expected an object of applications by name)"#
        ),
        InvalidCase(
            "domain-name", domain(application, name: "a b"),
            #"serviceDomains.json:1: error: /serviceDomains/a b: invalid name of a service domain "a b" (expected 1 to 64 letters, digits, dots, underscores and hyphens)"#
        ),
        InvalidCase(
            "domain-application-name", domain(#""applications": { "a:b": { "backend": "inventory/1.0" } }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/applications/a:b: invalid name of an application "a:b" (expected 1 to 64 letters, digits, dots, underscores and hyphens)"#
        ),
        InvalidCase(
            "domain-default", domain(application + #", "defaultApplication": "Apq""#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/defaultApplication: unknown application "Apq" (expected an application of this domain; did you mean "App"?)"#
        ),
        InvalidCase(
            "domain-scheme-and-level",
            domain(application + #", "authentication": { "scheme": "None", "level": 1 }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/level: the level is that of the scheme (expected one of "scheme" and "level")"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/scheme: unknown authentication scheme "None" (expected the name of an authentication scheme)"#
        ),
        // OMS-12
        InvalidCase(
            "domain-remote",
            domain(application + #", "authentication": { "type": "remote" }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/issuer: required member "issuer" is missing (expected the name of an issuer)"#
        ),
        InvalidCase(
            "domain-remote-issuer",
            domain(application + #", "authentication": { "type": "remote", "issuer": "nobody", "offline": "Auto" }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/issuer: unknown issuer "nobody" (expected the name of an issuer)"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/offline: invalid value (expected one of "online", "offline", "auto", found "Auto"; did you mean "auto"?)"#
        ),
        InvalidCase(
            "domain-local-offline",
            domain(application + #", "authentication": { "offline": "auto", "guestRoles": [] }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/guestRoles: the gateway verifies passwords itself here (expected "type": "remote" beside it)"#,
            #"serviceDomains.json:2: error: /serviceDomains/Domain/authentication/offline: the gateway verifies passwords itself here (expected "type": "remote" beside it)"#
        ),
        InvalidCase(
            "domain-sessions", domain(application + #", "maxSessions": 0"#),
            "serviceDomains.json:2: error: /serviceDomains/Domain/maxSessions: out of range (expected a number of sessions from 1 to 1000, found 0)"
        ),
        InvalidCase(
            "domain-backend", domain(#""applications": { "App": { "backend": "inventory/2.0" } }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/applications/App/backend: unknown backend "inventory/2.0" (expected a backend as "name/version"; did you mean "inventory/1.0"?)"#
        ),
        InvalidCase(
            "domain-agent-alone", app(#""sso": { "agentPriority": 1 }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/applications/App/sso/agentPriority: an agent takes part itself (expected "participate": true)"#
        ),
        InvalidCase(
            "domain-attempts", app(#""maxLoginAttempts": 0"#),
            "serviceDomains.json:2: error: /serviceDomains/Domain/applications/App/maxLoginAttempts: out of range (expected a number of attempts from 1 to 1000, found 0)"
        ),
        // CRYPTO-02
        InvalidCase(
            "domain-crypto-scheme", app(#""mobileCustomAttributes": { "CryptoScheme": "SaltedSHA-513" }"#),
            #"serviceDomains.json:2: error: /serviceDomains/Domain/applications/App/mobileCustomAttributes/CryptoScheme: invalid value (expected one of "PlainText", "AES", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SaltedSHA-1", "SaltedSHA-224", "SaltedSHA-256", "SaltedSHA-384", "SaltedSHA-512", "PBKDF2-SHA512", found "SaltedSHA-513"; did you mean "SaltedSHA-512"?)"#
        ),
        InvalidCase(
            "domain-denied-device", domain(application + #", "denyDevices": [{}]"#),
            "serviceDomains.json:2: error: /serviceDomains/Domain/denyDevices/0: wrong type (expected an object with at least one claim, found an object)"
        ),
        InvalidCase(
            "scheme-module", webgates(#"{ "name": "S", "authenticationLevel": 2, "authenticationModule": "LDAP" }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/authenticationModule: invalid value (expected "local", found "LDAP")"#
        ),
        InvalidCase(
            "scheme-form", webgates(#"{ "name": "S", "authenticationLevel": 2, "challengeMethod": "FORM" }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/challengeUrl: the form has no place (expected "challengeUrl", such as "/mobilesso?serviceDomain=NAME")"#
        ),
        InvalidCase(
            "scheme-form-domain",
            webgates(
                #"{ "name": "S", "authenticationLevel": 2, "challengeMethod": "FORM", "challengeUrl": "/f?serviceDomain=No" }"#
            ),
            #"webgates.json:2: error: /authenticationSchemes/0/challengeUrl: unknown service domain "No" (expected ?serviceDomain= of serviceDomains.json)"#
        ),
        InvalidCase(
            "scheme-elsewhere",
            webgates(#"{ "name": "S", "authenticationLevel": 2, "contextValue": "//evil.example" }"#),
            #"webgates.json:2: error: /authenticationSchemes/0/contextValue: invalid value (expected a path that begins with one slash, found "//evil.example")"#
        ),
        // CHAL-08 in the other form of the file.
        InvalidCase(
            "scheme-webgate-name", webgates("", #"{ "name": "a:b", "level": 2 }"#),
            #"webgates.json:3: error: /webgates/0/name: invalid value (expected 1 to 64 letters, digits, dots, underscores and hyphens, found "a:b")"#
        ),
        InvalidCase(
            "scheme-webgate-both",
            webgates(
                #"{ "name": "S", "authenticationLevel": 2 }"#,
                #"{ "name": "MainWG", "level": 2, "authenticationScheme": "S" }"#),
            #"webgates.json:3: error: /webgates/0/level: the level is that of the scheme (expected one of "authenticationScheme" and "level")"#
        ),
        InvalidCase(
            "webgate-without-level", ["webgates.json": #"[{ "name": "MainWG" }]"#],
            #"webgates.json:1: error: /webgates/0/authenticationScheme: required member "authenticationScheme" is missing (expected "authenticationScheme" or "level")"#
        ),
        InvalidCase(
            "webgates-unknown-member", ["webgates.json": #"{ "webgate": [] }"#],
            #"webgates.json:1: error: /webgates: unknown member "webgate" (expected one of webgates, authenticationSchemes)"#
        ),
        InvalidCase(
            "user-secret", ["users.json": #"[{ "username": "joe", "otpSecret": "GEZDGNBV" }]"#],
            "users.json:1: error: /users/0/otpSecret: the secret is malformed (expected at least 16 bytes as Base32)"
        ),
        InvalidCase(
            "user-answer",
            ["users.json": #"[{ "username": "joe", "securityQuestions": [{ "question": "Pet?", "answer": "rex" }] }]"#],
            #"users.json:1: error: /users/0/securityQuestions/0/answer: the password has no scheme, so it would never verify (expected "{scheme}payload", made by "portcullis hash")"#
        ),
    ]
}

/// Mistakes in applications and what belongs to them (AOM-01, AOM-16, AOM-23).
extension InvalidCase {
    private static func application(_ more: String) -> [String: String] {
        ["applications.json": "[{ \"name\": \"app\", \"apiKey\": \"k1\" },\n{ \(more) }]"]
    }

    private static func route(_ more: String) -> [String: String] {
        var files = application(#""name": "b", "apiKey": "k""#)
        files["backends.json"] = #"[{ "name": "a", "version": "1", "mobileBackendId": "m" }]"#
        files["routes.json"] = "[{ \"path\": \"/a\", \"upstream\": \"inventory\",\n\(more) }]"
        return files
    }

    static let applicationCases: [InvalidCase] = [
        InvalidCase(
            "application-twice", application(#""name": "app", "apiKey": "k2""#),
            #"applications.json:2: error: /applications/1: duplicate application "app" (expected a unique name)"#
        ),
        InvalidCase(
            "application-empty", application(""),
            #"applications.json:2: error: /applications/1/apiKey: required member "apiKey" is missing (expected a secret)"#,
            #"applications.json:2: error: /applications/1/name: required member "name" is missing (expected a name)"#
        ),
        InvalidCase(
            "application-key-blank", application(#""name": "b", "apiKey": "a b""#),
            "applications.json:2: error: /applications/1/apiKey: invalid value (expected visible ASCII characters without blanks)"
        ),
        InvalidCase(
            "application-no-system", application(#""name": "b", "apiKey": "k", "systems": []"#),
            "applications.json:2: error: /applications/1/systems: the list is empty (expected at least one system)"
        ),
        InvalidCase(
            "application-model", application(#""name": "b", "apiKey": "k", "userClass": { "model": "com..User" }"#),
            #"applications.json:2: error: /applications/1/userClass/model: invalid value (expected names joined by dots, such as "com.example.User", found "com..User")"#
        ),
        InvalidCase(
            "application-admin-password",
            application(#""name": "b", "apiKey": "k", "admin": { "mail": "a@b.c", "password": "adminpw" }"#),
            #"applications.json:2: error: /applications/1/admin/password: the password has no scheme, so it would never verify (expected "{scheme}payload", made by "portcullis hash")"#
        ),
        InvalidCase(
            "application-writer", application(#""name": "b", "apiKey": "k", "writers": ["joe"]"#),
            #"applications.json:2: error: /applications/1/writers/0: unknown user "joe" (expected a user of the realm "Default")"#
        ),
        InvalidCase(
            "application-expiration", application(#""name": "b", "apiKey": "k", "accessExpirationSeconds": 31536001"#),
            "applications.json:2: error: /applications/1/accessExpirationSeconds: out of range (expected a number of seconds from 1 to 31536000, found 31536001)"
        ),
        InvalidCase(
            "application-facebook",
            application(#""name": "b", "apiKey": "k", "facebook": { "enabled": true, "appId": "1" }"#),
            #"applications.json:2: error: /applications/1/facebook/appSecret: required member "appSecret" is missing (expected "appSecret" beside "enabled": true)"#
        ),
        InvalidCase(
            "route-unknown-application", route(#""application": "App""#),
            #"routes.json:2: error: /routes/0/application: unknown application "App" (expected the name of an application; did you mean "app"?)"#
        ),
        InvalidCase(
            "route-application-and-backend", route(#""application": "app", "backends": ["a/1"]"#),
            #"routes.json:2: error: /routes/0/application: the route already names clients (expected either "application", or "clients" and "backends")"#
        ),
        InvalidCase(
            "route-application-and-social", route(#""application": "app", "socialLogin": true"#),
            #"routes.json:2: error: /routes/0/application: tokens of an application are not a social login (expected either "application" or "socialLogin")"#
        ),
        InvalidCase(
            "route-application-and-public", route(#""application": "app", "public": true"#),
            #"routes.json:2: error: /routes/0/application: a public route ignores tokens (expected either "application" or "public")"#
        ),
        InvalidCase(
            "cleaner-time", gateway: #""tokenCleaner": { "at": "4:00" }"#,
            #"gateway.json:5: error: /tokenCleaner/at: invalid value (expected a time of day such as "04:00", found "4:00")"#
        ),
        InvalidCase(
            "cleaner-hour", gateway: #""tokenCleaner": { "at": "24:00" }"#,
            #"gateway.json:5: error: /tokenCleaner/at: invalid value (expected a time of day such as "04:00", found "24:00")"#
        ),
    ]
}

import Model

extension LogEvent {
    /// The members of events, each with one meaning. Those that the access log has too have the same name and meaning there.
    package static let members: [(name: String, meaning: String)] = [
        ("account", "id of a withdrawn or restored account"),
        ("action", "what was done or tried"),
        ("address", "address of a socket of the gateway, or of the server of a failed connection"),
        ("base_url", "`baseUrl`, where browsers log in"),
        ("bearer", "what happens to requests with bearer tokens meanwhile"),
        ("by", "kind of the author"),
        ("caller", "user of the application that made a change"),
        ("client", "id of a client or of a mobile backend"),
        ("client_id", "OAuth client, or application"),
        ("client_ip", "address of the client"),
        ("contents", "what was written to the file"),
        ("count", "how many"),
        ("detail", "the cause or problem, in words"),
        ("engine", "engine of the event loops"),
        ("file", "file, relative to the directory of the configuration"),
        ("generation", "number of the configuration in force"),
        ("has_keys", "whether earlier keys are used meanwhile"),
        ("holder", "user or client that an account belongs to"),
        ("host", "the host of the request, as in `Host`"),
        ("ignored", "number of keys that cannot be used"),
        ("issuer", "name of the issuer"),
        ("keys", "number of keys, or names of settings"),
        ("kid", "id of a key"),
        ("kind", "kind of the account or entry"),
        ("line", "line in the file, from 1"),
        ("listener", "name of the listener"),
        ("milliseconds", "difference of the clocks"),
        ("names", "DNS names of a certificate"),
        ("object", "what was changed"),
        ("outcome", "how it ended"),
        ("path", "path of a file"),
        ("pid", "id of the process"),
        ("pointer", "place in the configuration (JSON pointer)"),
        ("provider", "name of the identity provider"),
        ("purpose", "what the connection was for"),
        ("realm", "realm of the user"),
        ("reason", "code of the cause, or the cause as the system names it"),
        ("removed", "number of keys that are published no more"),
        ("repeated", "how often it was not written since the last time"),
        ("replaces", "id of the session that has ended for a new one"),
        ("request_id", "`X-Request-Id` of the request"),
        ("requests", "number of requests"),
        ("retry_seconds", "time until the next attempt, in seconds"),
        ("revocations", "number of deny entries"),
        ("roles_given", "roles that a user got"),
        ("roles_taken", "roles that a user lost"),
        ("section", "section of the configuration"),
        ("sequence", "number of the entry in the store"),
        ("server", "address of a server"),
        ("source", "what could not be read"),
        ("status", "status of the answer"),
        ("step", "what failed: `resolve`, `connect`, `tls` or `request`"),
        ("store", "kind of the store"),
        ("subject", "user or application"),
        ("successor", "id of the new process"),
        ("token_id", "`jti` of a token"),
        ("until", "end of a certificate, in seconds since 1970"),
        ("upstream", "name of the upstream"),
        ("url", "URL without its query"),
        ("user", "number of the system's user who ran a command"),
        ("version", "version of the program"),
        ("worker", "number of the event loop"),
        ("workers", "number of event loops"),
    ]

    /// The page of the reference with all events.
    package static var reference: String {
        let chapters = allCases.map { event in
            let declaration = event.declaration
            let fields = declaration.fields.map { "`\($0)`" }.joined(separator: ", ")
            return """
                ## `\(event.rawValue)`

                - Level: `\(declaration.level.rawValue)`
                - Fields: \(fields.isEmpty ? "none" : fields)

                \(declaration.meaning)

                """
        }
        let rows = members.map { "| `\($0.name)` | \($0.meaning) |" }
        return """
            # Log events

            Standard error has a JSON line for each event. Every line has `time` (seconds since 1970, with milliseconds), `level` and `event`. An
            event has those of its further fields that apply. `log.level` is the least severe level that is written. No event
            contains a token, a password or a query.

            | Field | Meaning |
            |---|---|
            \(rows.joined(separator: "\n"))

            \(chapters.joined(separator: "\n"))
            """
    }
}

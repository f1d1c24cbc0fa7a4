extension Reason {
    /// The page of the reference with all reasons, a table for each group.
    package static var reference: String {
        let groups = groups.map { group in
            let rows = group.rows.map { row in
                "| `\(row.code)` | \(row.status == 0 ? "" : "\(row.status)") | \(row.meaning) |\n"
            }
            return "## \(group.title)\n\n| Code | Status | Meaning |\n|---|---|---|\n" + rows.joined()
        }
        return """
            # Reason codes

            A reason names why a request ended the way it did. It appears in the access log, in audit events, in
            `portcullis explain`, and in the metric `portcullis_denied_total`. The body of an error has it as `code`, except
            for a 401. The status is that of a response without a rule of `errors`.

            - All 401 responses of a route have the same body. It does not distinguish an unknown token from an expired one.
            - Invalid HTTP is rejected and the connection closed. The bounds of sizes and counts are those of `limits`.
            - Responses of the token endpoint have `error` as in RFC 6749 section 5.2. A refused exchange is always
              `invalid_grant`.
            - Reasons about issuers, users, repeated use and revocation apply to SAML assertions, too.

            \(groups.joined(separator: "\n"))
            """
    }
}

import Model

/// The reasons that this target declares.
extension Reason {
    // Failed at the upstream or its token
    package static var issuerRefused: Reason { Reason("issuer_refused", 403) }
    package static var issuerUnavailable: Reason { Reason("issuer_unavailable", 503, retryAfter: 1) }
    package static var issuerInvalidToken: Reason { Reason("issuer_invalid_token", 502) }
    package static var issuerMisconfigured: Reason { Reason("issuer_misconfigured", 502) }
    package static var issuerCredentialMissing: Reason { Reason("issuer_credential_missing", 403) }
    package static var loginEnded: Reason { Reason("login_ended", 401) }
}

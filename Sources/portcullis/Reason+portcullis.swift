import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    static var reloaded: Reason { .served("reloaded") }
    static var administered: Reason { .served("administered") }

    // Administration
    static var conflict: Reason { Reason("conflict", 409) }
    static var invalidConfiguration: Reason { Reason("invalid_configuration", 422) }
    static var writeFailed: Reason { Reason("write_failed", 500) }
    static var busy: Reason { Reason("busy", 503, retryAfter: 1) }
    static var reloadFailed: Reason { Reason("reload_failed", 422) }
}

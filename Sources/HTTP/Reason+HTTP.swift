import Model

/// The reasons that this target declares.
extension Reason {
    // Refused by policy
    package static var methodNotAllowed: Reason { Reason("method_not_allowed", 405) }
}

extension Decision {
    /// What the last step is called for operators.
    package var label: String { step.label(hasRoute: route != nil) }
}

extension Decision.Step {
    package func label(hasRoute: Bool) -> String {
        switch self {
        case .origin, .preflight: "origin"
        case .method: hasRoute ? "method" : "route"
        case .secondReading: "path"
        case .address: "address"
        case .rate, .principalRate: "rate"
        case .tunnel, .endpointRules: "endpoint"
        case .certificate: "certificate"
        case .body: "body"
        case .credential, .proof: "credential"
        case .caller: hasRoute ? "rights" : "credential"
        case .policy, .trialPolicy: "policy"
        case .message: "message"
        case .claims, .rights, .trial, .answer: "rights"
        }
    }
}

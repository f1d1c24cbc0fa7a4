/// The list of kinds of identity providers.
package enum ProviderKinds {
    package static let all: [any ProviderEntry.Type] = [OwnFormEntry.self, CodeFlowEntry.self, SAMLProviderEntry.self]
}

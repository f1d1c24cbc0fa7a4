/// The list of forms of questions to policy servers. The first one is the default.
package enum PolicyFormats {
    package static let all: [any PolicyFormat.Type] = [OPAFormat.self, FieldsFormat.self, AuthZENFormat.self]
}

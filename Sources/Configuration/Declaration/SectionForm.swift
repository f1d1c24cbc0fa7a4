import Bytes
import Declaration
import Model

/// The form of a file of the configuration.
package struct SectionForm: Sendable {
    /// The name of the section and of its file.
    package let name: String
    package let meaning: String
    let form: Form
    /// Other sections that the same file may contain.
    var others: [SectionForm] = []
    /// The file that contains the section; nil for one of its own.
    var container: String?

    /// Its JSON Schema, indented.
    package var schema: [UInt8] {
        let text = SchemaWriter.file(self).serialized
        // The text is JSON, so that it can be indented.
        return ((try? JSONLayout.indented(text, by: 2)) ?? text) + [ASCII.lineFeed]
    }

    static let gatewayName = "gateway"

    /// `gateway.json`.
    static func gateway(_ extensions: [SectionExtension]) -> SectionForm {
        SectionForm(
            name: gatewayName,
            meaning: "Listeners, limits, upstreams, and any section that has no file of its own.",
            form: .object(ObjectForm.of { GatewayConfiguration.read(&$0, extensions) }))
    }

    /// All declared sections, in the order of the reference. Computed at each call, since a running gateway does not
    /// use it.
    /// - Parameter extensions: the sections that other targets declare.
    package static func all(_ extensions: [SectionExtension]) -> [SectionForm] {
        [
            gateway(extensions),
            SectionForm(
                name: "routes",
                meaning: "Parts of the API and who may call them. The longest match wins.",
                form: .list(RouteEntry.shape(extensions.routeKeys).form(), isUnique: false)),
            SectionForm(
                name: "identityProviders",
                meaning: "Identity providers that browsers are sent to for a login.",
                form: .list(IdentityProviderEntry.shape().form(), isUnique: false)),
            SectionForm(
                name: "clients",
                meaning: "OAuth clients: applications and services that get tokens from the token service.",
                form: .list(ClientSection.shape.form(), isUnique: false)),
            SectionForm(
                name: "backends",
                meaning: "Mobile backends: the credentials of applications of Mobile Cloud.",
                form: .list(ClientEntry.shape(extensions.backendKeys).form(), isUnique: false)),
        ] + extensions.compactMap(\.form) + [
            SectionForm(name: "users", meaning: "Local users.", form: .list(User.shape.form(), isUnique: false)),
            SectionForm(
                name: "consumers",
                meaning: "Named programs that call with API keys.",
                form: .list(Consumer.shape.form(), isUnique: false)),
            SectionForm(
                name: "roles",
                meaning: "The catalogue of roles; other names are never granted. A role is a name, or an object.",
                form: RolesSection.form),
            SectionForm(
                name: "realms",
                meaning: "The realms that users and clients may name. Without this file, any name is accepted.",
                form: .list(.text)),
            SectionForm(
                name: "expectations",
                meaning:
                    "What must be decided about described requests: checked before the configuration takes effect.",
                form: .list(Expectation.shape.form(), isUnique: false)),
            SectionForm(
                name: "certificates",
                meaning: "Certificates that outside issuers sign with, each under a name of its own.",
                form: .list(StoredCertificateEntry.shape.form(), isUnique: false)),
            SectionForm(
                name: "trustedIssuers",
                meaning: "Issuers whose tokens open routes.",
                form: .list(TrustedIssuerEntry.shape.form(), isUnique: false)),
            SectionForm(
                name: "webgates",
                meaning: "Groups of routes that are challenged alike.",
                form: .list(WebgateEntry.shape.form(), isUnique: false),
                others: [
                    SectionForm(
                        name: "authenticationSchemes",
                        meaning: "Authentication schemes that webgates and routes name; they stand in `webgates.json`.",
                        form: .list(AuthenticationSchemeEntry.shape.form(), isUnique: false),
                        container: "webgates")
                ]),
        ]
    }
}

extension ObjectReader {
    /// Declares a section that may stand in `gateway.json`: the list or the object without the name of a schema beside it.
    mutating func takeSection(_ name: String, isList: Bool) {
        let schema =
            name == "authenticationSchemes" ? "webgates.schema.json#/$defs/\(name)" : "\(name).schema.json"
        let members = (isList ? [("type", "array")] : []) + [("$ref", schema)]
        let form = members.map { JSONMember(name: $0, node: .text($1)) }
        _ = take(name, Shape(.schema(form), read: { $0.node }), "The section, where it has no file of its own.")
    }
}

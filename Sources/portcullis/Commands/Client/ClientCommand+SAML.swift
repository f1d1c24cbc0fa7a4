import Foundation
import Identity

extension ClientCommand {
    /// `client saml pack`: the assertion of a SAML response in the form that is exchanged (SAML-16).
    static func packSAML(_ arguments: Arguments) throws(ExitStatus) {
        guard arguments.positional[0] == "pack" else { throw usage() }
        do throws(SAMLRejection) {
            Terminal.print(
                String(decoding: try PackedAssertion.pack(response: response(arguments["--response"])), as: UTF8.self))
        } catch {
            Terminal.complain("portcullis: \(hint(error))")
            throw .failed
        }
    }

    /// What is to be packed: the contents of a file of this name, where there is one, else the text itself.
    private static func response(_ argument: String?) -> [UInt8] {
        guard let argument else { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        return FileManager.default.contents(atPath: argument).map { Array($0) } ?? Array(argument.utf8)
    }

    private static func hint(_ rejection: SAMLRejection) -> String {
        switch rejection {
        case .unavailable: SAMLVerifier.obstacle?.problem ?? "\(rejection.reason)"
        case .malformedPackage: "this is neither a SAML response nor one in Base64"
        case .tooLarge: "this is larger than any SAML response should be"
        case .encrypted: "the assertion is encrypted: the identity provider must send it in the clear"
        case .unsigned: "the assertion has no signature of its own: the identity provider must sign assertions"
        case .notOneAssertion: "the response has no assertion, or several"
        default: "this is no SAML response: \(rejection.reason)"
        }
    }
}

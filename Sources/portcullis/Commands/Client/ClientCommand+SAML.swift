import OAuthServer

#if Client
    import Identity
    import Reactor

    extension ClientCommand {
        /// `client saml pack`: prints the assertion of a SAML response in the form of the token exchange (SAML-16).
        static func packSAML(_ arguments: Arguments) throws(ExitStatus) {
            guard arguments.positional[0] == "pack" else { throw usageError() }
            do throws(SAMLRejection) {
                Terminal.print(
                    String(
                        decoding: try PackedAssertion.pack(response: response(arguments["--response"])), as: UTF8.self))
            } catch {
                throw .failure(hint(error))
            }
        }

        /// The argument is the name of a file, or else the response itself.
        private static func response(_ argument: String?) -> [UInt8] {
            guard let argument else { return StandardStream.input() }
            return (try? FileSystem.read(argument, acceptsPipes: true)) ?? Array(argument.utf8)
        }

        private static func hint(_ rejection: SAMLRejection) -> String {
            switch rejection {
            case .unavailable: SAMLVerifier.obstacle?.problem ?? "\(rejection.reason)"
            case .malformedPackage: "not a SAML response, in Base64 or plain"
            case .tooLarge: "too large for a SAML response"
            case .encrypted: "the assertion is encrypted: the identity provider must send it in the clear"
            case .unsigned: "the assertion has no signature of its own: the identity provider must sign assertions"
            case .notOneAssertion: "the response has no assertion, or several"
            default: "not a SAML response: \(rejection.reason)"
            }
        }
    }
#endif

#if SAML
    import CXMLSec

    /// The XML signature library this program is linked with, under the trait `SAML` (DEC-09).
    package enum XMLSecLibrary {
        /// Its version, such as `1.2.37`, as of the headers at build time.
        package static let version = XMLSEC_VERSION

        /// Whether both libraries are ready. Each call readies the calling thread too: libxml2 keeps its handler of
        /// errors for each of them, and would write to standard error.
        static func start() {
            _ = isStarted
            // SAFETY: the handler is a function that does nothing, with any arguments.
            unsafe xmlSetStructuredErrorFunc(nil) { _, _ in }
            guard isStarted else { fatalError("libxmlsec1 cannot be started") }
        }

        private static let isStarted: Bool = {
            // SAFETY: once in the process, which is what a static value is for; the libraries are never shut down.
            xmlInitParser()
            guard xmlSecInit() >= 0, xmlSecOpenSSLInit() >= 0 else { return false }
            xmlSecErrorsDefaultCallbackEnableOutput(0)
            return true
        }()
    }
#endif

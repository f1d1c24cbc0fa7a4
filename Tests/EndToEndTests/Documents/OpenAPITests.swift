import Foundation
import Testing

/// The document config/schema/openapi.json against a gateway that has all endpoints. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct OpenAPITests {
    @Test("requests and answers are those that the document describes, for every operation")
    func answers() throws {
        let gateway = try GatewayProcess(["gateway.json": Vectors.text("Tests/Fixtures/openapi/gateway.json")])
        let script = Vectors.root.appending(path: "Tests/Interop/openapi_answers.py").path
        let origins = try ["public", "admin"].map { "http://127.0.0.1:\(try gateway.port($0))" }
        let result = try Program.run(LoginProvider.python ?? "", [script] + origins, .after(.seconds(180)))
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)")
    }
}

import Foundation
import Testing

/// The sample configuration within the memory that `deploy/kubernetes/base/deployment.yaml` allows.
@Suite(.disabled(if: Sanitizer.isOn, "it measures memory"))
struct SampleMemoryTests {
    /// The pod's limit in kB, as the manifest says it.
    private static func limit() throws -> Int {
        let manifest = Vectors.text("deploy/kubernetes/base/deployment.yaml")
        let found = try #require(manifest.firstMatch(of: /limits: \{memory: (\d+)Mi\}/))
        return try #require(Int(found.1)) << 10
    }

    @Test("fifteen user changes and forty concurrent logins stay within the pod's memory limit")
    func sample() throws {
        let configuration = try SampleConfiguration.copy()
        let sample = try configuration.read("gateway.json")
        try configuration.write(
            "gateway.json",
            sample.replacing(#""port": 8080"#, with: #""port": 0"#).replacing(#""port": 8443"#, with: #""port": 0"#)
                .replacing(#""port": 9901"#, with: #""port": 0"#))
        let gateway = try GatewayProcess(configuration, listeners: ["public", "secure", "admin"])
        for number in 1...15 {
            let body = #"{"username": "user\#(number)", "password": "Welcome\#(number)"}"#
            let added = try gateway.request(
                "POST", "/admin/users", [.bearer("admin-secret"), "Content-Type: application/json"], body: body,
                listener: "admin")
            #expect(added.status == 201, "\(added.text)")
        }
        let form = "Content-Type: application/x-www-form-urlencoded"
        let body = "grant_type=password&username=joe&password=Welcome1"
        let client = "Authorization: Basic " + Data("inv-client:inv-secret".utf8).base64EncodedString()
        let head = ["POST /oauth2/token HTTP/1.1", "Host: a", client, form]
        let request = (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
        let connections = try (0..<40).map { _ in try gateway.connect() }
        for connection in connections { try connection.send(Array(request.utf8)) }
        let statuses = Set(try connections.map { try $0.readResponse().status })
        // Those for which there is no room are refused.
        #expect(statuses.isSubset(of: [200, 429, 503]) && statuses.contains(200), "\(statuses)")
        let peak = try gateway.program.memory("VmHWM")
        print("SampleMemoryTests: \(peak >> 10) MiB at the most")
        #expect(try peak < Self.limit())
    }
}

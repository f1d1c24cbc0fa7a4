import Glibc
import Testing

/// Whose time runs while a request body is on its way.
@Suite(.tags(.engine)) struct RegressionUploadTests {
    @Test("GW-08: a long upload does not time out; the upstream's time begins at its end")
    func slowUpload() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(
                #"{"path": "/upload", "upstream": "stub", "public": true, "responseTimeout": "400ms"}"#)
        }
        let connection = try fixture.connect()
        try connection.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n")
        for _ in 0..<8 {
            usleep(150_000)
            try connection.send("x")
        }
        let response = try connection.readResponse(to: "POST")
        #expect(response.status == 200)
    }

    @Test("GW-08: an upstream that does not take the body in time is the one that times out")
    func bodyNotTaken() throws {
        let fixture = try Fixture { settings in
            settings["limits"] = #"{"bodyTimeout": "1s"}"#
            settings.addRoutes(
                #"{"path": "/upload", "upstream": "stub", "public": true, "responseTimeout": "500ms"}"#)
        }
        let gate = Gate()
        defer { gate.open() }
        fixture.upstream.on("/upload", body: .leave) { _ in [.wait(gate), .close] }
        let connection = try fixture.connect()
        try connection.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<40 {
            connection.patience = .milliseconds(300)
            do { try connection.send(piece) } catch { break }
        }
        connection.patience = .seconds(5)
        #expect(try connection.readResponse(to: "POST").status == 504)
    }
}

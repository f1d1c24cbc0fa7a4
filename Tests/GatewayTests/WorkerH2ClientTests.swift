import Bytes
import HTTP
import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// GW-06, issue B: clients that speak HTTP/2 get the same decisions, bodies and limits.
@Suite struct WorkerH2ClientTests {
    private func bench(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            change(&setup)
        }
    }

    /// The worker ends when its last client has heard that it does.
    private func end(_ bench: WorkerBench, with client: H2Client) {
        bench.turn {
            client.move()
            if client.peer.isOver { client.peer.close() }
            return bench.worker.shutdown.isFinished
        }
    }

    @Test func aRequestIsForwardedAndAnswered() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("GET", "/open/x?q=1", "accept: */*\r\n")
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.hasPrefix("GET /open/x?q=1 HTTP/1.1\r\nHost: gw.example.com\r\naccept: */*\r\n"))
        #expect(head.contains("Via: 2.0 portcullis\r\n"))
        #expect(!head.contains("Transfer-Encoding"))
        server.send(.ok("hello", "X-Y: 1\r\nConnection: X-Z\r\nX-Z: 2\r\n"))
        let answer = bench.answer(client, id)
        #expect(answer.status == 200)
        #expect(answer.text == "hello")
        #expect(answer.field("x-y") == "1")
        #expect(answer.field("x-z") == nil)
        #expect(answer.field("connection") == nil)
        #expect(answer.field("content-length") == "5")
        bench.expectNothingLeft()
    }

    @Test func aChallengeHasTheSameForm() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let answer = bench.answer(client, try client.request("GET", "/mine/x"))
        #expect(answer.status == 401)
        #expect(answer.field("www-authenticate") == "Bearer realm=\"portcullis\"")
        #expect(answer.text.contains("\"code\":\"unauthorized\""))
        bench.expectNothingLeft()
    }

    /// A client of gRPC reads the status of a call, and takes any other answer for an unknown error.
    @Test(
        arguments: [
            ("/mine/x", "application/grpc", 401, "16"), ("/mine/x", "application/grpc+proto", 401, "16"),
            ("/none", "application/grpc;x=y", 404, "12"), ("/mine/x", "Application/GRPC+json", 401, "16"),
            ("/mine/x", "application/grpc-web", 401, nil),
            ("/open/x", "application/grpc", 502, "14"), ("/mine/x", "application/grpcs", 401, nil),
            ("/mine/x", "application/json", 401, nil),
        ] as [(String, String, Int, String?)])
    func refusedCalls(_ path: String, _ type: String, _ status: Int, _ code: String?) throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("POST", path, "content-type: \(type)\r\nte: trailers\r\n")
        if path == "/open/x" {
            let server = try bench.accepted()
            _ = bench.head(server)
            server.send("nonsense\r\n\r\n")
        }
        let answer = bench.answer(client, id)
        #expect(answer.field("grpc-status") == code)
        if code == nil {
            #expect(answer.status == status)
        } else {
            // The head ends the stream: there is no frame of the body.
            #expect(answer.status == 200 && answer.field("content-type") == "application/grpc")
            #expect(answer.field("grpc-message")?.isEmpty == false && answer.body.isEmpty)
            #expect(!client.frameTypes.contains(0))
        }
        bench.expectNothingLeft()
    }

    @Test func streamsOfOneConnectionAreAnsweredInAnyOrder() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let first = try client.request("GET", "/open/1")
        let second = try client.request("GET", "/open/2")
        let one = try bench.accepted()
        let two = try bench.accepted()
        #expect(bench.head(one).hasPrefix("GET /open/1 "))
        #expect(bench.head(two).hasPrefix("GET /open/2 "))
        two.send(.ok("two"))
        #expect(bench.answer(client, second).text == "two")
        #expect(!client[first].isWhole)
        one.send(.ok("one"))
        #expect(bench.answer(client, first).text == "one")
        bench.expectNothingLeft()
    }

    @Test(arguments: [true, false]) func bodiesGoUp(_ tellsLength: Bool) throws {
        let bench = try bench()
        let client = bench.h2Client()
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let length = tellsLength ? "content-length: \(body.count)\r\n" : ""
        let id = try client.request("POST", "/open/x", length, body: body)
        let server = try bench.accepted()
        let end = tellsLength ? "" : "0\r\n\r\n"
        var all: [UInt8] = []
        bench.turn {
            client.move()
            server.receive()
            all += server.received
            server.forget()
            return all.count >= body.count && (end.isEmpty || all.suffix(5) == Array(end.utf8)[...])
        }
        let text = String(decoding: all.prefix(600), as: UTF8.self)
        #expect(text.contains(tellsLength ? "Content-Length: 300000\r\n" : "Transfer-Encoding: chunked\r\n"))
        if tellsLength { #expect(all.suffix(body.count) == body[...]) }
        server.send(.ok("done"))
        #expect(bench.answer(client, id).text == "done")
        bench.expectNothingLeft()
    }

    @Test func trailersGoBothWays() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request(
            "POST", "/open/x", "", body: Array("abc".utf8),
            trailers: "x-sum: 1\r\nx-gateway-user: root\r\n")
        let server = try bench.accepted()
        bench.turn(until: { server.text.hasSuffix("\r\n0\r\nx-sum: 1\r\n\r\n") })
        server.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nGrpc-Status: 0\r\n\r\n")
        let answer = bench.answer(client, id)
        #expect(answer.text == "hi")
        #expect(answer.trailers == ["grpc-status: 0"])
        #expect(answer.field("transfer-encoding") == nil)
        bench.expectNothingLeft()
    }

    /// GW-07: a client that takes nothing slows its own upstream down, and no other stream.
    @Test func backPressureIsOfOneStream() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let slow = try client.request("GET", "/open/slow")
        client.stalled.insert(slow)
        let server = try bench.accepted()
        _ = bench.head(server)
        let size = 8 << 20
        server.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        let piece = [UInt8](repeating: 7, count: 64 * 1024)
        var sent = 0
        for _ in 0..<2000 where sent < size {
            sent += server.send(Array(piece.prefix(size - sent)))
            bench.turn()
            client.move()
        }
        #expect(sent < size, "the kernel's buffers take what the gateway does not")
        #expect(bench.worker.poller.chunks.inUse < 40)
        let quick = try client.request("GET", "/open/quick")
        let other = try bench.accepted()
        _ = bench.head(other)
        other.send(.ok("quick"))
        #expect(bench.answer(client, quick).text == "quick")
        client.takeStalled(slow)
        bench.turn {
            client.move()
            sent += server.send(Array(piece.prefix(size - sent)))
            return client[slow].isWhole
        }
        #expect(client[slow].body.count == size)
        bench.expectNothingLeft()
    }

    @Test func aStreamThatIsResetLeavesTheOthersAlone() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let gone = try client.request("GET", "/open/gone")
        let stays = try client.request("GET", "/open/stays")
        let first = try bench.accepted()
        let second = try bench.accepted()
        _ = bench.head(first)
        _ = bench.head(second)
        client.reset(gone)
        bench.turn(until: { first.isOver })
        second.send(.ok("here"))
        #expect(bench.answer(client, stays).text == "here")
        bench.expectNothingLeft()
    }

    @Test func aConnectionThatIsCutEndsAllItsExchanges() throws {
        let bench = try bench()
        let client = bench.h2Client()
        for i in 0..<5 { _ = try client.request("GET", "/open/\(i)") }
        let servers = try (0..<5).map { _ in try bench.accepted() }
        client.peer.reset()
        bench.turn(until: { servers.allSatisfy(\.isOver) })
        bench.expectNothingLeft()
    }

    @Test func upstreamFailuresAreAnswersOfTheStream() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("GET", "/open/x")
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send("nonsense\r\n\r\n")
        #expect(bench.answer(client, id).status == 502)
        let cut = try client.request("GET", "/open/y")
        let other = try bench.accepted()
        _ = bench.head(other)
        other.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        other.close()
        #expect(bench.answer(client, cut).resetCode == H2Code.internalError)
        bench.expectNothingLeft()
    }

    /// The upstream ends in the middle of its answer, of which the client's window does not take all: the rest follows when
    /// there is room, and then the reset.
    @Test func aSlowStreamGetsWhatCameBeforeTheCut() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let slow = try client.request("GET", "/open/x")
        client.stalled.insert(slow)
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 1000100\r\n\r\n")
        server.send([UInt8](repeating: 7, count: 70_000))
        server.close()
        bench.turn {
            client.move()
            return bench.errors[UpstreamFailure.connectionLost.rawValue] == 1
        }
        #expect(client[slow].resetCode == nil)
        client.takeStalled(slow)
        let answer = bench.answer(client, slow)
        #expect(answer.resetCode == H2Code.internalError)
        #expect(answer.body.count == 70_000)
        bench.expectNothingLeft()
    }

    @Test func aHeadThatIsRefusedIsAnsweredInItsStream() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("GET", "/open/x", "expect: the unexpected\r\n")
        #expect(bench.answer(client, id).status == 417)
        let next = try client.request("GET", "/nowhere")
        #expect(bench.answer(client, next).status == 404)
        bench.expectNothingLeft()
    }

    @Test func bodiesOfEndpointsAreCollected() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let form = Array("grant_type=password&username=joe&password=Welcome1".utf8)
        let id = try client.request(
            "POST", "/oauth2/token",
            "content-type: application/x-www-form-urlencoded\r\nauthorization: Basic Y2xpZW50OnNlY3JldA==\r\n",
            body: form)
        let answer = bench.answer(client, id)
        #expect(answer.status == 200)
        #expect(answer.text.contains("access_token"))
        bench.expectNothingLeft()
    }

    /// RFC 9113 section 6.8: who has not heard the first farewell yet must not lose a request by the second, however long
    /// it takes. The worker looks after its connections once a second.
    @Test func theSecondFarewellWaitsForTheFirst() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let first = try client.request("GET", "/nowhere")
        #expect(bench.answer(client, first).status == 404)
        bench.shared.drain(keepingIdle: true)
        bench.turn(until: { bench.worker.isDraining })
        // Nothing of what comes is read meanwhile.
        bench.pass(milliseconds: ConnectionShutdown.momentTime + 2_200)
        let late = try client.request("GET", "/nowhere")
        #expect(client.sawGoAway)
        #expect(bench.answer(client, late).status == 404)
        #expect(client[late].resetCode == nil)
        end(bench, with: client)
    }

    /// Issue B: a client that takes on a request for each answer has taken on some that it loses if a GOAWAY stands behind
    /// the answers. So it comes when all it may have under way is under way, and before the first of its answers.
    @Test func theFirstFarewellComesWhenTheClientWaits() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let held = try client.request("GET", "/open/x")
        let server = try bench.accepted()
        _ = bench.head(server)
        let short = try client.request("GET", "/nowhere")
        #expect(bench.answer(client, short).isWhole)
        bench.shared.drain(keepingIdle: true)
        bench.turn(until: { bench.worker.isDraining })
        bench.settle()
        client.move()
        #expect(!client.sawGoAway, "two streams were open at a time, and now there is one")
        let next = try client.request("GET", "/nowhere")
        #expect(bench.answer(client, next).status == 404)
        #expect(client.sawGoAway)
        let types = client.frameTypes
        let farewell = try #require(types.firstIndex(of: 7))
        #expect(types[farewell...].contains(1), "\(types)")
        #expect(types[..<farewell].count { $0 == 1 } == 1, "\(types)")
        server.send(.ok("held"))
        #expect(bench.answer(client, held).text == "held")
        end(bench, with: client)
    }

    /// Issue B: so it is with a client that has just connected, and has taken on its first requests.
    @Test func whoConnectsMeanwhileIsAskedWhenItWaits() throws {
        let bench = try bench()
        let client = bench.h2Client()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        bench.shared.drain(keepingIdle: true)
        bench.turn(until: { bench.worker.isDraining })
        client.move()
        bench.turn(until: { bench.worker.frontend.clients[0].link != nil })
        bench.settle()
        client.move()
        #expect(!client.sawGoAway)
        let only = try client.request("GET", "/nowhere")
        #expect(bench.answer(client, only).status == 404)
        #expect(client.sawGoAway)
    }

    /// GW-11: a drain asks the client to open no more streams, and waits for those that are open.
    @Test func aDrainFinishesWhatIsOpen() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("GET", "/open/x")
        let server = try bench.accepted()
        _ = bench.head(server)
        bench.shared.drain()
        bench.turn {
            client.move()
            return client.sawGoAway
        }
        #expect(!bench.worker.shutdown.isFinished)
        server.send(.ok("late"))
        #expect(bench.answer(client, id).text == "late")
        end(bench, with: client)
    }

    /// HTTP/1 goes on on the same listener.
    @Test func otherClientsOfTheListenerSpeakHTTP1() throws {
        let bench = try bench()
        let client = bench.client()
        client.send("P")
        bench.settle()
        client.send("OST /open/x HTTP/1.1\r\nHost: gw.example.com\r\nContent-Length: 0\r\n\r\n")
        let server = try bench.accepted()
        #expect(bench.head(server).hasPrefix("POST /open/x HTTP/1.1\r\n"))
        server.send(.ok("one"))
        _ = bench.expect(client, ends: "one")
        bench.expectNothingLeft()
    }

    /// Answers that the client does not take end, even while it sends other requests.
    @Test func aClientThatTakesNoAnswersIsCutOff() throws {
        let bench = try bench { $0.limits.writeTimeout = 300 }
        var limits = H2Limits()
        limits.initialWindow = 0
        let client = bench.h2Client(limits)
        for _ in 0..<10 { _ = try client.request("GET", "/nowhere") }
        bench.turn {
            client.move()
            if client.session.mayOpen { _ = try? client.request("HEAD", "/nowhere") }
            return client.peer.isOver
        }
        bench.expectNothingLeft()
    }
}

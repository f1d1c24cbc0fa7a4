import Foundation
import TestSupport

// StoreCrash judge STORE ROUNDS: kills processes that write to the store, and looks what is left. Nothing that was
// acknowledged may be lost, nothing that was revoked may live, and no slot may have two pairs.

/// A line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments
// A Redis server is started, killed with the others and started again. It has to write before it answers.
let durable = [["appendonly", "yes"], ["appendfsync", "always"]]
let server = arguments.count == 4 && arguments[2] == "redis" ? try RedisProcess(durable) : nil
server?.endsWithProcess()
let specification = server.map { "redis:\($0.socketPath)" } ?? arguments.dropFirst(2).first ?? ""
guard arguments.count == 4, let store = CrashStore(specification), let count = Int(arguments[3]) else {
    say("usage: StoreCrash judge sqlite:PATH|redis ROUNDS")
    exit(2)
}
if arguments[1] == "victim" { Victim(try store.open(), number: count).run() }

let began = Date()
var ledger = Ledger()
for number in 1...max(1, count) {
    let delay = number % 10 == 0 ? nil : Double.random(in: 0.005...0.15)
    let lines = try Round().run("/proc/self/exe", specification, delay: delay, server: server)
    for line in lines { ledger.take(line) }
    try server?.restart()
    if number == count { ledger.forgetChanges() }
    try ledger.check(store.open())
    for violation in ledger.violations { say("round \(number): \(violation)") }
    if !ledger.violations.isEmpty { exit(1) }
    if number % 50 == 0 { say("\(number) rounds, \(ledger.acknowledged) acknowledged") }
}
let seconds = Int(Date().timeIntervalSince(began))
say(
    "\(count) rounds of kill -9, \(ledger.acknowledged) operations acknowledged: none lost, none alive again (\(seconds) s)"
)

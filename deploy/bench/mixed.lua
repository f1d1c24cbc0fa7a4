-- Mixed traffic for wrk, as deploy/soak sends it: what the gateway serves, refuses and does not understand, in turn.
-- Arguments behind "--": a token, a client's credentials as Base64, and "login" where a twentieth of the requests
-- are logins, or "close" for connections of one request each.
local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

local requests, number = {}, 0

function init(arguments)
    local token, client, logs_in, close = arguments[1], arguments[2], arguments[3] == "login", arguments[3] == "close"
    fresh, replies, unexpected, first = token, 0, 0, ""
    local function get(path, authorization)
        local headers = { Authorization = authorization }
        if close then headers["Connection"] = "close" end
        return wrk.format("GET", path, headers)
    end
    local public, bearer = get("/open/ping"), get("/inventory/me", "Bearer " .. token)
    local challenge, unknown = get("/inventory/me"), get("/nowhere")
    local form = { Authorization = "Basic " .. client, ["Content-Type"] = "application/x-www-form-urlencoded" }
    local grant = wrk.format("POST", "/oauth2/token", form, "grant_type=password&username=joe&password=Welcome1")
    local upload = wrk.format("POST", "/open/upload", {}, string.rep("x", 20000))
    -- The signature of a token that was never issued: found out at the cost of a verification.
    local function forged()
        return get("/inventory/me", "Bearer " .. token:sub(1, -9) .. string.format("%07dA", number % 10000000))
    end
    local function garbage() return get("/inventory/me?n=" .. number, "Bearer garbage" .. number) end
    local function newest() return get("/inventory/me?n=" .. number, "Bearer " .. fresh) end
    local function query() return get("/open/ping?bytes=" .. number % 3000) end
    requests = {
        public, bearer, query, bearer, challenge, public, bearer, newest, garbage, public,
        bearer, upload, unknown, bearer, query, newest, forged, public, bearer, logs_in and grant or query,
    }
end

function request()
    number = number + 1
    local request = requests[number % #requests + 1]
    if type(request) == "function" then return request() end
    return request
end

function response(status, headers, body)
    replies = replies + 1
    if status ~= 200 and status ~= 401 and status ~= 404 then
        unexpected = unexpected + 1
        if first == "" then first = status .. " " .. body:sub(1, 200):gsub("%c", " ") end
    end
    local issued = body:match('"access_token":"([^"]+)"')
    if issued then fresh = issued end
end

function done(summary, latency, requests)
    local replies, unexpected = 0, 0
    for _, thread in ipairs(threads) do
        replies = replies + thread:get("replies")
        unexpected = unexpected + thread:get("unexpected")
        if thread:get("first") ~= "" then io.write("the first unexpected: ", thread:get("first"), "\n") end
    end
    io.write(string.format("replies=%d unexpected=%d connect=%d read=%d write=%d timeout=%d\n", replies, unexpected,
        summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.timeout))
end

-- Asks for a token of the client credentials grant, over and over. Argument: the Base64 of "id:secret".
function init(arguments)
    wrk.method = "POST"
    wrk.body = "grant_type=client_credentials"
    wrk.headers["Authorization"] = "Basic " .. arguments[1]
    wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
end

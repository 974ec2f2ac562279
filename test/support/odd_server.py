"""A server of PUT, of S3's uploads in parts and of WebDAV's DELETE that behaves oddly.

    odd_server.py PORT_FILE LOG KIND [FILE]

It keeps values in memory and writes a line "METHOD PATH STATUS" to LOG for every request.  KIND:
    plain     none of these
    refuses   values of a name that ends with 5.0, and those like /bim/x.bim, are answered with 403
    hides     what does not exist is answered with 403, as S3 does where listing is not allowed
    keeps     DELETE of a folder removes nothing and is answered with 207, as WebDAV does where some of it cannot be removed
    forgets   an upload in parts is not known any more when it is to be completed; /b/FILE has been there before
"""
import http.server
import os
import re
import sys

port_file, log_name, kind = sys.argv[1:4]
log = open(log_name, "a", buffering=1)
values = {"/b/" + name: open(name, "rb").read() for name in sys.argv[4:]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        log.write("%s %s %d\n" % (self.command, self.path, status))

    def name(self):
        return self.path.split("?")[0]

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_PUT(self):
        body = self.body()
        if kind == "refuses" and (self.name().endswith("5.0") or re.search(r"/(\w+)/[^/]*\.\1$", self.name())):
            return self.answer(403)
        if "uploadId=" not in self.path:
            values[self.name()] = body
        self.answer(200, ETag='"etag"')

    def do_POST(self):
        self.body()
        if self.path.endswith("?uploads="):
            self.answer(200, b"<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>")
        else:
            self.answer(404, b"<Error><Code>NoSuchUpload</Code></Error>")

    def do_GET(self):
        value = values.get(self.name())
        if value is not None:
            self.answer(200, value)
        else:
            self.answer(403 if kind == "hides" else 404)

    do_HEAD = do_GET

    def do_DELETE(self):
        if kind == "keeps" and self.name().endswith("/"):
            self.answer(207, b"<multistatus/>")
        elif "uploadId=" in self.path:
            self.answer(404)
        else:
            self.answer(204 if values.pop(self.name(), None) is not None else 404)


http.server.ThreadingHTTPServer.request_queue_size = 256
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file + ".tmp", "w") as f:
    f.write(str(server.server_port))
os.rename(port_file + ".tmp", port_file)
server.serve_forever()

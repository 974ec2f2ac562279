"""The services that give credentials on Amazon's machines and in its containers, and a bucket that notes who asks.

    aws_services.py PORT_FILE LOG

/latest/... is the metadata service (version 2), /container gives credentials to who has the token "let me in".  Everything else is
an empty bucket: it writes the access key and the session token of each request to LOG, "-" where there is none.
"""
import http.server
import json
import os
import re
import sys

port_file, log_name = sys.argv[1:3]
log = open(log_name, "a", buffering=1)
ROLE = "/latest/meta-data/iam/security-credentials/"


def keys(name):
    return json.dumps({"AccessKeyId": name, "SecretAccessKey": "s" + name, "Token": "token of " + name, "Expiration": "2099-01-01T00:00:00Z"})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/latest/api/token" and self.headers["X-aws-ec2-metadata-token-ttl-seconds"]:
            self.answer(200, "session")
        else:
            self.answer(404)

    def do_GET(self):
        session = self.headers["X-aws-ec2-metadata-token"] == "session"
        if self.path.startswith("/latest/"):
            text = {ROLE: "the-role\n", ROLE + "the-role": keys("MACHINE")}.get(self.path)
            self.answer(200 if text and session else 401, text if text and session else "")
        elif self.path == "/container":
            allowed = self.headers["Authorization"] == "let me in"
            self.answer(200 if allowed else 403, keys("CONTAINER") if allowed else "")
        else:
            key = re.search("Credential=([^/]*)/[^/]*/([^/]*)/", self.headers["Authorization"] or "")
            log.write("%s %s\n" % ("%s %s" % key.groups() if key else "- -", self.headers["x-amz-security-token"] or "-"))
            self.answer(404)

    do_HEAD = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file + ".tmp", "w") as f:
    f.write(str(server.server_port))
os.rename(port_file + ".tmp", port_file)
server.serve_forever()

"""A server of the files in a folder that knows ranges, for the tests of remote inputs.

    http_server.py FOLDER PORT_FILE LOG

It writes its port to PORT_FILE, and a line "NAME FIRST BYTES" to LOG for every answer:
where it began and how many bytes were taken.  /whole/NAME has no ranges, /stream/NAME
does not tell its size, /cut/NAME breaks off half way, /status/NNN/NAME answers NNN.
"""
import http.server
import os
import re
import socket
import sys
import threading
import time

folder, port_file, log_name = sys.argv[1:4]
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, body):
        kind, name = "", self.path.split("?")[0].lstrip("/")
        for prefix in ("whole/", "stream/", "cut/", "status/"):
            if name.startswith(prefix):
                kind, name = prefix[:-1], name[len(prefix):]
        if kind == "status":
            return self.send_error(int(name.split("/")[0]))
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            return self.send_error(404)
        data = open(path, "rb").read()
        wanted = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = 0, len(data) - 1
        if wanted and kind not in ("whole", "stream"):
            first, last = int(wanted[1]), min(last, int(wanted[2] or last))
            if first > last:
                return self.send_error(416)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        else:
            self.send_response(200)
        if kind == "stream":
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(last + 1 - first))
        if kind in ("", "cut"):
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if body:
            self.send(name, data, first, last + 1, kind)

    def send(self, name, data, first, end, kind):
        stop, sent = min(end, len(data) // 2) if kind == "cut" else end, first
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        try:
            while sent < stop:
                sent += self.wfile.write(data[sent:min(stop, sent + 16384)])
                time.sleep(0.001)  # a reader that goes away is noticed soon
        except OSError:
            pass
        if kind == "cut":
            self.close_connection = True
        with lock, open(log_name, "a") as log:
            log.write(f"{name} {first} {sent - first}\n")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file + ".part", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(port_file + ".part", port_file)
server.serve_forever()

"""A server of the files in a folder that knows ranges, for the tests of remote inputs.

    http_server.py FOLDER PORT_FILE LOG

It writes its port to PORT_FILE, and a line "NAME FIRST BYTES" to LOG for every answer:
where it began and how many bytes were taken.  /whole/NAME has no ranges, /stream/NAME
does not tell its size, /cut/NAME breaks off half way, /status/NNN/NAME answers NNN,
/slow/NAME after 50 ms, /silent/NAME never, /faulty/NAME answers every fifth request
with 503, breaks off every tenth and falls silent in the middle of every 40th.
/refused/NAME answers 403 for what is missing, /shifted/NAME gives the bytes in front
of those that a range asks for, and says so.  /gzip/NAME sends all in gzip, and says so, /polite/NAME unless identity is asked
for.  /once/NNN/NAME answers NNN the first time, with Retry-After where that is 429.  /signed/NAME?key=a%20b answers 403 without
that query.  /busy/NAME answers 429 with Retry-After: 1
twice, and writes "early" to LOG when it is asked again less than a second after the second time.  /most tells how many requests of
/slow were there at once, /rounds how many of them came after one another: each
when the one before it was answered, since /rounds was last asked for.
"""
import gzip
import http.server
import os
import re
import socket
import sys
import threading
import time
import urllib.parse

folder, port_file, log_name = sys.argv[1:4]
lock = threading.Lock()
faulty_requests = slow_now = slow_most = 0
slow_times = []
answered = set()
refused = {}  # how often, and when last


def rounds():
    """The longest row of requests of which each began when the one before it had ended."""
    with lock:
        n, last = 0, 0
        for end, begun in sorted(slow_times):
            if begun >= last:
                n, last = n + 1, end
        slow_times.clear()
    return n


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # the end of an answer does not wait for an ACK of its beginning

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, body):
        kind, name = "", self.path.split("?")[0].lstrip("/")
        for prefix in ("whole/", "stream/", "cut/", "status/", "slow/", "silent/", "faulty/", "refused/", "shifted/", "gzip/", "polite/", "once/", "busy/", "signed/"):
            if name.startswith(prefix):
                kind, name = prefix[:-1], name[len(prefix):]
        name = urllib.parse.unquote(name)
        if kind == "status":
            return self.send_error(int(name.split("/")[0]))
        if kind == "once":
            code, name = name.split("/", 1)
            with lock:
                first_time = (code, name) not in answered
                answered.add((code, name))
            if first_time:
                return self.answer_once(int(code))
        if kind == "signed" and not self.path.endswith("?key=a%20b"):
            return self.send_error(403)
        if kind == "busy" and self.is_refused(name):
            return self.answer_once(429)
        if name == "most":
            return self.tell(str(slow_most).encode())
        if name == "rounds":
            return self.tell(str(rounds()).encode())
        if kind == "slow":
            self.slow()
        if kind == "silent":
            time.sleep(30)
        if kind == "faulty":
            kind = self.fault()
        if kind == "503":
            return self.send_error(503)
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            return self.send_error(403 if kind == "refused" else 404)
        data = open(path, "rb").read()
        encoded = kind == "gzip" or (kind == "polite" and self.headers.get("Accept-Encoding") != "identity")
        if encoded:
            data = gzip.compress(data)
        wanted = re.match(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        first, last = 0, len(data) - 1
        if wanted and kind not in ("whole", "stream"):
            if wanted[1]:
                first, last = int(wanted[1]), min(last, int(wanted[2] or last))
            else:
                first = max(0, len(data) - int(wanted[2]))
            if first > last:
                return self.send_error(416)
            if kind == "shifted" and first > 0:
                first, last = first - 1, last - 1
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        else:
            self.send_response(200)
        if encoded:
            self.send_header("Content-Encoding", "gzip")
        if kind == "stream":
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(last + 1 - first))
        if kind not in ("whole", "stream"):
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        if body:
            self.send(name, data, first, last + 1, kind)

    def is_refused(self, name):
        now = time.monotonic()
        with lock:
            times, last = refused.get(name, (0, 0))
            if times and now < last + 0.9:
                with open(log_name, "a") as log:
                    log.write("early 0 0\n")
            if times < 2:
                refused[name] = times + 1, now
        return times < 2

    def answer_once(self, code):
        with lock, open(log_name, "a") as log:
            log.write(f"once {code} 0\n")
        self.send_response(code)
        if code == 429:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"wait")

    def tell(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def slow(self):
        global slow_now, slow_most
        with lock:
            slow_now += 1
            slow_most = max(slow_most, slow_now)
            begun = time.monotonic()
        time.sleep(0.05)
        with lock:
            slow_now -= 1
            slow_times.append((time.monotonic(), begun))

    def fault(self):
        global faulty_requests
        with lock:
            faulty_requests += 1
            n = faulty_requests
        return "503" if n % 5 == 0 else "stall" if n % 40 == 1 else "broken" if n % 10 == 3 else ""

    def send(self, name, data, first, end, kind):
        half = kind in ("broken", "stall")
        stop, sent = min(end, len(data) // 2) if kind == "cut" else (first + end) // 2 if half else end, first
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        logged = False
        try:
            while sent < stop:
                if stop - sent <= 16384 and not logged:  # before the client has all of it, and looks at the log
                    logged = True
                    self.log_sent(name, first, stop)
                sent += self.wfile.write(data[sent:min(stop, sent + 16384)])
                time.sleep(0.001)  # a reader that goes away is noticed soon
        except OSError:
            pass
        if kind == "stall":
            self.wfile.flush()
            time.sleep(10)
        if kind == "cut" or half:
            self.close_connection = True
        if not logged:
            self.log_sent(name, first, sent)

    def log_sent(self, name, first, end):
        with lock, open(log_name, "a") as log:
            log.write(f"{name} {first} {end - first}\n")


http.server.ThreadingHTTPServer.request_queue_size = 256
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file + ".part", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(port_file + ".part", port_file)
server.serve_forever()

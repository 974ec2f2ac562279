"""A proxy of a server on this machine that delays requests and lets uploads fail.

    fault_proxy.py PORT PORT_FILE LOG [EVERY [MS]]

It forwards what it gets to 127.0.0.1:PORT and writes its own port to PORT_FILE, and a line "METHOD PATH STATUS" to LOG for every
request.  Of every EVERY-th PUT or POST (0 = none) one of these comes, in turn: 503; the connection breaks before the request is forwarded; it
breaks after the server has answered.  Each request waits MS milliseconds, as if the server were far away.  With PAGE_KEYS in the
environment, the server lists so many keys at a time where 1,000 are asked for.
"""
import asyncio
import os
import sys

upstream, port_file, log_name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
every = int(sys.argv[4]) if len(sys.argv) > 4 else 0
delay = float(sys.argv[5]) / 1000 if len(sys.argv) > 5 else 0
log = open(log_name, "a", buffering=1)
uploads = 0
page = b"max-keys=" + os.environ["PAGE_KEYS"].encode() if "PAGE_KEYS" in os.environ else b"max-keys=1000"


async def read_message(reader, has_body=True):
    """Head and body; None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    fields = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip()
    body = b""
    if not has_body:
        pass
    elif fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        while True:
            line = await reader.readuntil(b"\r\n")
            size = int(line, 16)
            chunk = await reader.readexactly(size + 2)
            body += line + chunk
            if size == 0:
                break
    elif b"content-length" in fields:
        body = await reader.readexactly(int(fields[b"content-length"]))
    elif head.startswith(b"HTTP/"):
        body = await reader.read() if fields.get(b"connection", b"").lower() == b"close" else b""
    return head, body, fields


def fault(method):
    global uploads
    if not every or method not in ("PUT", "POST"):
        return None
    uploads += 1
    return ("503", "early", "late")[uploads // every % 3] if uploads % every == 0 else None


async def serve(reader, writer):
    server = None
    try:
        while (message := await read_message(reader)) is not None:
            head, body, _ = message
            head = head.replace(b"max-keys=1000", page, 1)
            method, path = head.split(b" ", 2)[:2]
            kind = fault(method.decode())
            if delay:
                await asyncio.sleep(delay)
            if kind == "503":
                log.write("%s %s 503\n" % (method.decode(), path.decode()))
                writer.write(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                continue
            if kind == "early":
                log.write("%s %s early\n" % (method.decode(), path.decode()))
                break
            answer = None
            for _ in range(2):  # a connection that the server has closed meanwhile
                if server is None:
                    server = await asyncio.open_connection("127.0.0.1", upstream, limit=1 << 20)
                server[1].write(head + body)
                await server[1].drain()
                answer = await read_message(server[0], method != b"HEAD")
                if answer:
                    break
                server[1].close()
                server = None
            if not answer:
                break
            log.write("%s %s %s\n" % (method.decode(), path.decode(), kind or answer[0].split(b" ")[1].decode()))
            if kind == "late":
                break
            writer.write(answer[0] + answer[1])
            await writer.drain()
            if answer[2].get(b"connection", b"").lower() == b"close":
                server[1].close()
                server = None
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()
        if server:
            server[1].close()


async def main():
    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    with open(port_file + ".tmp", "w") as f:
        f.write(str(listener.sockets[0].getsockname()[1]))
    os.rename(port_file + ".tmp", port_file)
    await listener.serve_forever()


asyncio.run(main())

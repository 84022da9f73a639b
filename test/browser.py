"""Drives a headless Chromium by its DevTools protocol, with the standard library only."""
import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

TIMEOUT = 120  # seconds: some machines are slow


def find():
    """Returns the browser's path, or None."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Socket:
    """A client's end of a WebSocket (RFC 6455): text messages in both directions."""

    def __init__(self, address):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", address).groups()
        self.stream = socket.create_connection((host, int(port)), TIMEOUT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.pending = b""
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.stream.recv(4096)
        head, self.pending = answer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def read(self, count):
        while len(self.pending) < count:
            part = self.stream.recv(1 << 16)
            assert part, "the browser closed the connection"
            self.pending += part
        data, self.pending = self.pending[:count], self.pending[count:]
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + struct.pack(">H", size) if size < 65536
                                else bytes([0xFF]) + struct.pack(">Q", size))
        masked = bytes(byte ^ mask[i & 3] for i, byte in enumerate(data))
        self.stream.sendall(head + mask + masked)

    def receive(self):
        message = b""
        while True:
            first, second = self.read(2)
            size = second & 127
            size = struct.unpack(">H", self.read(2))[0] if size == 126 else struct.unpack(">Q", self.read(8))[0] if size == 127 else size
            payload = self.read(size)
            if first & 15 in (0, 1):
                message += payload
                if first & 0x80:
                    return message.decode()


class Browser:
    """A headless browser with one page. Use it in a `with` statement."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-port=0",
                   f"--user-data-dir={self.folder}", "about:blank"]
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen([find(), *options], stdout=self.log, stderr=self.log, start_new_session=True)
        port = self.wait_for_port()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
            page = next(each for each in json.load(answer) if each["type"] == "page")
        self.socket = Socket(page["webSocketDebuggerUrl"])
        self.number = 0
        self.events = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def wait_for_port(self):
        path, end = os.path.join(self.folder, "DevToolsActivePort"), time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if os.path.exists(path) and (text := open(path, encoding="ascii").read()).count("\n"):
                return text.split("\n")[0]
            assert self.process.poll() is None, open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace").read()
            time.sleep(0.05)
        raise TimeoutError("the browser does not start")

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result. Events that arrive meanwhile are kept in `events`."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.number:
                assert "error" not in message, (method, message)
                return message["result"]
            self.events.append(message)

    def evaluate(self, code):
        """Returns the value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, path, width, height, dark=False):
        """Opens a file in a window of this size, and waits until it has been drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + path)
        end = time.monotonic() + TIMEOUT
        while self.evaluate("location.protocol + document.readyState") != "file:complete":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.05)
        self.frame()

    def frame(self):
        """Waits until what was changed has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, key):
        """Presses a key of the keyboard."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        common = {"key": key, "code": key if len(key) > 1 else "", "windowsVirtualKeyCode": codes.get(key, ord(key[0]))}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.frame()

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.frame()

    def picture(self, path):
        """Stores what the window shows as a PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def faults(self):
        """Returns the errors of scripts, and the requests other than for the page itself."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"])
            elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"])
            elif event["method"] == "Network.requestWillBeSent" and not event["params"]["request"]["url"].startswith(("file:", "data:", "about:")):
                found.append(event["params"]["request"]["url"])
        return found

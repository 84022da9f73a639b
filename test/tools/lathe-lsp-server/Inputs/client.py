"""A client of lathe-lsp-server, as an editor is one: messages with a Content-Length in front, on its standard input and output."""
import json
import subprocess


class Client:
    def __init__(self):
        self.process = subprocess.Popen(["lathe-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.calls = self.version = 0
        self.capabilities = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        size = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server has ended"
            name, value = line.decode().split(":")
            size = int(value) if name == "Content-Length" else size
        return json.loads(self.process.stdout.read(size))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.calls += 1
        self.send({"id": self.calls, "method": method, "params": params})
        answer = self.receive()
        assert answer["id"] == self.calls, answer
        return answer["result"]

    def write(self, uri, text):
        """Opens the document, or gives it another text; returns the diagnostics."""
        self.version += 1
        document = {"uri": uri, "version": self.version}
        if self.version == 1:
            self.notify("textDocument/didOpen", {"textDocument": document | {"languageId": "lathe", "text": text}})
        else:
            self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        answer = self.receive()
        assert answer["method"] == "textDocument/publishDiagnostics" and answer["params"]["version"] == self.version, answer
        return answer["params"]["diagnostics"]

    def ask(self, what, uri, line, character):
        return self.request(f"textDocument/{what}", {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait(timeout=60)

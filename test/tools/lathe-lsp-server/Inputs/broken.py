"""broken.py FILE...: gives the server every FILE as it is being written: its prefixes, and texts with pieces missing. After each
it asks at the end of the text, and in its middle; the server must answer all of it and end as it should."""
import random
import sys

from client import Client

URI = "file:///graph.mlir"


def texts(whole):
    draw = random.Random(7)
    yield from (whole[:end] for end in range(0, len(whole), max(1, len(whole) // 60)))
    for _ in range(60):
        begin = draw.randrange(len(whole))
        yield whole[:begin] + whole[begin + draw.randrange(1, 12):]
        yield whole[:begin] + draw.choice(["%", "@", "(", ")", "{", "}", "<", ">", '"', ",", "-1", "\0", "\u00e9\U0001f600"]) + whole[begin:]


def positions(text):
    lines = text.split("\n")
    yield len(lines) - 1, len(lines[-1])
    yield len(lines) // 2, len(lines[len(lines) // 2]) // 2


def main(paths):
    client, count = Client(), 0
    for path in paths:
        for text in texts(open(path, encoding="utf-8").read()):
            client.write(URI, text)
            for line, character in positions(text):
                for what in ("hover", "completion", "definition"):
                    client.ask(what, URI, line, character)
            count += 1
    print(f"{count} texts, exit {client.end()}")


main(sys.argv[1:])

"""session.py STEP...: edits one document and prints what the server says. Steps: FILE, the document's new text; hover, complete
or define =LINE:COLUMN, counted from 1 in UTF-16 units; end, which prints the server's exit status."""
import sys

from client import Client

URI = "file:///graph.mlir"
SEVERITIES = {1: "error", 2: "warning", 3: "note"}


def place(range):
    start, end = range["start"], range["end"]
    return f'{start["line"] + 1}:{start["character"] + 1}-{end["line"] + 1}:{end["character"] + 1}'


def main(steps):
    client = Client()
    for step in steps:
        print(f"== {step}")
        what, _, position = step.partition("=")
        if position:
            line, column = (int(part) - 1 for part in position.split(":"))
            answer = client.ask({"complete": "completion", "define": "definition"}.get(what, what), URI, line, column)
        if what == "end":
            print("exit", client.end())
        elif what == "hover":
            print(f'{place(answer["range"])}\n{answer["contents"]["value"]}' if answer else "nothing")
        elif what == "complete":
            for item in answer["items"]:
                edit = item["textEdit"]
                print(f'{item["label"]} | {item.get("detail", "")} | {place(edit["range"])}')
        elif what == "define":
            print("\n".join(place(each["range"]) for each in answer) or "nothing")
        else:
            for each in client.write(URI, open(step, encoding="utf-8").read()):
                print(f'{place(each["range"])} {SEVERITIES[each["severity"]]}: {each["message"]}')
                for note in each.get("relatedInformation", []):
                    print(f'  {place(note["location"]["range"])} {note["message"]}')


main(sys.argv[1:])

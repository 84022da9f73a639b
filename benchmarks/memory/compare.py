"""compare.py OUT SECONDS [ROW...]: Lathe's budgets beside PyTorch's checkpointing, one process for each row and peer, as a table."""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "suite"), str(HERE.parent)]
import networks_of_memory  # noqa: E402
import to_onnx  # noqa: E402

SHARES = (0.75, 0.5, 0.35)
PEERS = ["torch", "torch:checkpoint", "torch:budget=0.5"]


def measured(row, peer, folder, seconds):
    done = subprocess.run(["taskset", "-c", "1", sys.executable, "-B", HERE / "worker.py", row, peer, folder, seconds],
                          capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    if done.returncode:
        return {"peer": peer, "fault": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    out, seconds, *names = Path(sys.argv[1]), *sys.argv[2:]
    print("| step | program | peak, MB | planned, MB | ms |\n|---|---|---|---|---|")
    for row in [networks_of_memory.find(name) for name in names] or networks_of_memory.ROWS:
        folder = out / row.name
        folder.mkdir(parents=True, exist_ok=True)
        to_onnx.save(row.build(), str(folder / "model.onnx"))
        free = measured(row.name, "lathe", folder, seconds)
        budgets = [f"lathe:{int(free['planned'] * share)}" for share in SHARES]
        offloads = [budget + ":offload" for budget in budgets]
        for result in [free, *(measured(row.name, peer, folder, seconds) for peer in [*budgets, *offloads, *PEERS])]:
            if "fault" in result:
                print(f"| {row.name} | {result['peer']} | {result['fault'][:100]} | | |", flush=True)
                continue
            planned = f"{result['planned'] / 1e6:.1f}" if result["planned"] else ""
            print(f"| {row.name} | {result['peer']} | {result['peak'] / 1e6:.1f} | {planned} | {result['ms']:.1f} |", flush=True)


main()

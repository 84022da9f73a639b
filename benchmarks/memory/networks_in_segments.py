"""A network of the suite in PyTorch as segments of ops, each of which torch.utils.checkpoint computes again in the backward pass."""
import math

import to_torch
import torch.utils.checkpoint


def checkpointed(graph, module):
    """Returns a function of the inputs that runs the graph with the module's parameters, in about a root of its ops' number of
    segments."""
    length = max(1, round(math.sqrt(len(graph.nodes))))
    segments = [graph.nodes[i:i + length] for i in range(0, len(graph.nodes), length)]
    parameters = dict(module.named_parameters())

    def needed_after(index):
        return {name for nodes in segments[index + 1:] for node in nodes for name in node.inputs} | set(graph.outputs)

    plans = []
    for index, nodes in enumerate(segments):
        made = [node.output for node in nodes]
        outer = list(dict.fromkeys(name for node in nodes for name in node.inputs if name not in made and name not in parameters))
        kept = [name for name in made if name in needed_after(index)]
        plans.append((nodes, outer, kept))

    def run(nodes, outer, kept, values):
        local = dict(zip(outer, values))
        for node in nodes:
            operands = [local[name] if name in local else parameters[name] for name in node.inputs]
            local[node.output] = to_torch.OPS[node.op](*operands, **node.attributes)
        return tuple(local[name] for name in kept)

    def forward(*inputs):
        values = dict(zip(graph.inputs, inputs))
        for nodes, outer, kept in plans:
            results = torch.utils.checkpoint.checkpoint(lambda *given, plan=(nodes, outer, kept): run(*plan, given),
                                                        *(values[name] for name in outer), use_reentrant=False)
            values |= zip(kept, results)
        return tuple(values[name] for name in graph.outputs)

    return forward

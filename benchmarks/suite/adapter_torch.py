"""PyTorch, eager and compiled by Inductor. Inference by Inductor freezes the weights, which makes constants of them."""
import torch
import to_torch
from adapter import Adapter
from rows import MOMENTUM, RATES


def optimizer_of(row, parameters):
    if row.optimizer == "adam":
        return torch.optim.Adam(parameters, RATES["adam"])
    return torch.optim.SGD(parameters, RATES["sgd"], momentum=MOMENTUM)


class Torch(Adapter):
    package = "torch"
    trained = False

    def prepare(self):
        torch.set_num_threads(self.threads)
        torch.set_grad_enabled(self.trained)
        self.module = to_torch.module(self.graph, self.trained)
        self.inputs = [torch.from_numpy(array) for array in self.graph.inputs.values()]
        self.forward = self.module

    def load(self):
        pass

    def call(self):
        self.last = self.forward(*self.inputs)

    def results(self):
        return [value.detach().numpy() for value in self.last]


class Inductor(Torch):
    def build(self):
        import torch._inductor.config
        torch._inductor.config.freezing = True
        self.forward = torch.compile(self.module, dynamic=False)
        self.call()


class TorchTraining(Torch):
    trained = True

    def prepare(self):
        super().prepare()
        self.initial = [parameter.detach().clone() for parameter in self.module.parameters()]
        self.optimizer = optimizer_of(self.row, list(self.module.parameters()))
        self.step = self.optimizer.step

    def reset(self):
        with torch.no_grad():
            for parameter, initial in zip(self.module.parameters(), self.initial):
                parameter.copy_(initial)
            for state in self.optimizer.state.values():
                for value in state.values():
                    if isinstance(value, torch.Tensor):
                        value.zero_()

    def call(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.last = self.forward(*self.inputs)
        self.last[0].backward()
        self.step()


class InductorTraining(TorchTraining):
    def build(self):
        self.forward = torch.compile(self.module, dynamic=False)
        self.step = torch.compile(self.optimizer.step)
        for _ in range(2):  # the first step makes the optimizer's state, for which the second compiles again
            self.call()

"""Architectures with random weights, as ONNX files: export(NAME, FILE) writes one and gives its inputs, by name, for a batch of one."""
import contextlib
import io
import warnings

import numpy as np
import torch

IMAGES = {"resnet50": "resnet50", "mobilenet_v3": "mobilenet_v3_large", "efficientnet_b0": "efficientnet_b0",
          "convnext_tiny": "convnext_tiny", "vit_b_16": "vit_b_16", "densenet121": "densenet121"}
WORDS = 64
NAMES = [*IMAGES, "bert_base", "lstm"]


class Lstm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = torch.nn.LSTM(64, 128, 2, batch_first=True), torch.nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.layers(x)[0])


class Bert(torch.nn.Module):
    def __init__(self):
        super().__init__()
        import transformers
        self.model = transformers.BertModel(transformers.BertConfig())

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask, return_dict=False)[0]


def settled(model):
    """With statistics that training left, so that activations neither grow nor die, and a last layer that is not zero."""
    with torch.no_grad():
        for _ in range(4):
            model(torch.randn(4, 3, 224, 224))
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear) and not layer.weight.any():
            torch.nn.init.normal_(layer.weight, std=0.02)
    return model


def build(name):
    if name == "lstm":
        return Lstm(), {"x": torch.randn(2, WORDS, 64)}
    if name == "bert_base":
        ids = torch.randint(0, 30000, (2, WORDS))
        return Bert(), {"ids": ids, "mask": torch.ones_like(ids)}
    import torchvision
    return settled(getattr(torchvision.models, IMAGES[name])(weights=None)), {"image": torch.randn(2, 3, 224, 224)}


def export(name, file):
    torch.manual_seed(0)
    # Not without gradients: attention would become an operator that has no form in ONNX.
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        model, inputs = build(name)
        torch.onnx.export(model.eval(), tuple(inputs.values()), file, input_names=list(inputs), output_names=["result"],
                          dynamic_axes={key: {0: "batch"} for key in inputs}, opset_version=17, dynamo=False)
    return {key: np.ascontiguousarray(value[:1].numpy()) for key, value in inputs.items()}

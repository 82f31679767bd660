#!/usr/bin/env python3
"""PyTorch's side of the exchange of weights: it writes files for the library and reads the library's.

usage: exchange.py write DIRECTORY
           model.safetensors     the weights of a model
           bfloat16.safetensors  the same, rounded to bfloat16
           expected.safetensors  inputs, the output of each layer for them, and the weights after some steps of Adam
       exchange.py answer DIRECTORY
           reads the library's weights from returned.safetensors, and writes
           answers.safetensors   the output of each layer for the same inputs with these weights, and the weights under PyTorch's names

Needs only torch: the file format is implemented below after its description (huggingface/safetensors, README, "Format").
"""
import json
import pathlib
import struct
import sys

import torch
from torch import nn

DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "I32": torch.int32}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def write_safetensors(path, tensors):
    header, chunks, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in tensors.items():
        tensor = tensor.detach().contiguous()
        # NumPy has no bfloat16, so its bits are written as integers.
        numbers = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
        chunks.append(numbers.numpy().tobytes())
        begin, end = end, end + len(chunks[-1])
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def read_safetensors(path):
    file = path.read_bytes()
    (length,) = struct.unpack("<Q", file[:8])
    assert length % 8 == 0, "data that is not aligned"
    header = json.loads(file[8 : 8 + length])
    header.pop("__metadata__", None)
    data, tensors, at = file[8 + length :], {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        assert begin == at, f"a gap or an overlap before {name}"
        at = end
        numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = numbers.reshape(entry["shape"])
    assert at == len(data), "bytes that belong to no tensor"
    return tensors


class Model(nn.Module):
    """A model with every kind of layer that the library has, too."""

    def __init__(self):
        super().__init__()
        encoder = dict(d_model=8, nhead=2, dim_feedforward=12, dropout=0.0, batch_first=True)
        self.embedding = nn.Embedding(11, 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.post = nn.TransformerEncoderLayer(**encoder, activation="relu", norm_first=False)
        self.pre = nn.TransformerEncoderLayer(**encoder, activation="gelu", norm_first=True)
        self.linear = nn.Linear(8, 5)

    def forward(self, ids, lengths):
        padding = torch.arange(ids.shape[1]) >= lengths[:, None]
        embedding = self.embedding(ids)
        attention, _ = self.attention(embedding, embedding, embedding, key_padding_mask=padding, need_weights=False)
        post = self.post(attention, src_key_padding_mask=padding)
        pre = self.pre(post, src_key_padding_mask=padding)
        return dict(embedding=embedding, attention=attention, post=post, pre=pre, linear=self.linear(pre))


def outputs(state, inputs):
    """The outputs of all layers, computed in float64, so that differences come only from the library's rounding."""
    model = Model().double()
    model.load_state_dict(state)
    with torch.no_grad():
        stages = model(inputs["ids"], inputs["lengths"])
    return {f"output.{name}": stage.float() for name, stage in stages.items()}


def train(state, inputs, steps=5):
    """Steps of Adam. Its eps is large because some gradients are zero except for rounding: a bias of all keys changes no attention weight."""
    model = Model().double()
    model.load_state_dict(state)
    adam = torch.optim.Adam(model.parameters(), lr=0.03, eps=0.1)
    losses = []
    for _ in range(steps):
        logits = model(inputs["ids"], inputs["lengths"])["linear"]
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), inputs["targets"].flatten().long(), ignore_index=-100)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.detach())
    trained = {f"trained.{name}": tensor.float() for name, tensor in model.state_dict().items()}
    return {"losses": torch.stack(losses).float(), **trained}


def write(directory):
    torch.manual_seed(5)
    # PyTorch initialises some biases with zeros, which would hide mistakes.
    state = {name: tensor + 0.2 * torch.randn_like(tensor) for name, tensor in Model().state_dict().items()}
    write_safetensors(directory / "model.safetensors", state)
    write_safetensors(directory / "bfloat16.safetensors", {name: tensor.bfloat16() for name, tensor in state.items()})
    lengths = torch.tensor([6, 2, 5], dtype=torch.int32)
    targets = torch.randint(0, 5, (3, 6), dtype=torch.int32)
    targets[torch.arange(6) >= lengths[:, None]] = -100
    inputs = {"ids": torch.randint(0, 11, (3, 6), dtype=torch.int32), "lengths": lengths, "targets": targets}
    widened = {f"bfloat16.{name}": tensor.bfloat16().float() for name, tensor in state.items()}
    expected = {**inputs, **outputs(state, inputs), **train(state, inputs), **widened}
    write_safetensors(directory / "expected.safetensors", expected)


def with_torch_names(state):
    """Renames multi-head attention's parameters from d2l's names, which the library uses, and packs the three projections together."""
    torch_names, part = {}, "attention."
    for kind in ("weight", "bias"):
        torch_names[f"{part}in_proj_{kind}"] = torch.cat([state.pop(f"{part}W_{which}.{kind}") for which in "qkv"])
        torch_names[f"{part}out_proj.{kind}"] = state.pop(f"{part}W_o.{kind}")
    return {**state, **torch_names}


def answer(directory):
    inputs = read_safetensors(directory / "expected.safetensors")
    state = with_torch_names(read_safetensors(directory / "returned.safetensors"))
    model = Model()
    model.load_state_dict(state)
    kept = {f"state.{name}": tensor for name, tensor in model.state_dict().items()}
    write_safetensors(directory / "answers.safetensors", {**outputs(state, inputs), **kept})


if __name__ == "__main__":
    {"write": write, "answer": answer}[sys.argv[1]](pathlib.Path(sys.argv[2]))

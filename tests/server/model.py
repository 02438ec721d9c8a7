#!/usr/bin/env python3
"""model.py - a model of a few MB for llama.cpp that says what is written here.

    model.py OUT CONTEXT TEMPLATE

Each token is followed by one other, whatever came before it: the embedding of
a token is a row of the unit matrix, the one layer adds nothing, and the output
matrix has a 1 where a token and its successor meet.  A chat template ends with
one of the first tokens of SAYS, and so chooses what is said.
"""
import struct
import sys
from array import array

SAYS = {
    "<|read|>": ["I look at", " both files.", "<tool_call>\n",
                 '{"name": "read", ', '"arguments": {"path":', ' "a.txt"}}\n',
                 "</tool_call>", "\n<tool_call>\n", '{"name":"read", ',
                 '"arguments":{"path":', ' "b.txt"}}\n', "</tool_call>\n"],
    "<|edit|>": ["<tool_call>\n ", '{"name": "edit", ',
                 '"arguments": {"path": ', '"a.txt", "old": "helo",',
                 ' "new": "hello"}}', "\n</tool_call>"],
    "<|done|>": ["The typo", " in a.txt", " is gone:", " it says hello."],
    "<|text|>": ["Gr\u00fc\u00dfe,", " \u4e16\u754c", " \U0001f389", "!"],
    "<|think|>": ["<think>\n", "two and two", "\n</think>\n", "four"],
    "<|loop|>": [" on", " and"],       # and on: it never ends
}
END, START, BYTES = 2, 1, 3
NORMAL, UNKNOWN, CONTROL, UNUSED, BYTE = 1, 2, 3, 5, 6


def vocabulary():
    """[(text, type, score)] and {token: its successor}"""
    words = [("<unk>", UNKNOWN, 0), ("<s>", CONTROL, 0), ("</s>", CONTROL, 0)]
    words += [("<0x%02X>" % b, BYTE, 0) for b in range(256)]
    after = {}
    for first, pieces in SAYS.items():
        words.append((first, CONTROL, 0))
        for piece in pieces:
            after[len(words) - 1] = len(words)
            # never found in a prompt before a better one
            words.append((piece.replace(" ", "\u2581"), NORMAL,
                          -1000 - len(words)))
        after[len(words) - 1] = END
        if first == "<|loop|>":
            after[len(words) - 1] = len(words) - len(pieces)
    while len(words) % 32 != 0:
        words.append(("<|unused%d|>" % len(words), UNUSED, 0))
    return words, after


def text(s):
    b = s.encode()
    return struct.pack("<Q", len(b)) + b


def value(kind, v):
    form = {"u": (4, "<I"), "f": (6, "<f"), "b": (7, "<B")}
    if kind == "s":
        return struct.pack("<I", 8) + text(v)
    number, layout = form[kind]
    return struct.pack("<I", number) + struct.pack(layout, v)


def array_of(number, packed, n):
    return struct.pack("<IIQ", 9, number, n) + packed


def facts(words, context, template):
    n = len(words)
    a, t = "llama.", "tokenizer."
    return {
        "general.architecture": value("s", "llama"),
        "general.name": value("s", "hamr-check"),
        a + "block_count": value("u", 1),
        a + "context_length": value("u", context),
        a + "embedding_length": value("u", n),
        a + "feed_forward_length": value("u", 32),
        a + "attention.head_count": value("u", 4),
        a + "attention.head_count_kv": value("u", 4),
        a + "attention.layer_norm_rms_epsilon": value("f", 1e-5),
        a + "rope.dimension_count": value("u", n // 4),
        a + "vocab_size": value("u", n),
        t + "ggml.model": value("s", "llama"),
        t + "ggml.tokens": array_of(8, b"".join(text(w[0]) for w in words), n),
        t + "ggml.scores": array_of(6, struct.pack("<%df" % n,
            *(w[2] for w in words)), n),
        t + "ggml.token_type": array_of(5, struct.pack("<%di" % n,
            *(w[1] for w in words)), n),
        t + "ggml.bos_token_id": value("u", START),
        t + "ggml.eos_token_id": value("u", END),
        t + "ggml.unknown_token_id": value("u", 0),
        t + "ggml.add_bos_token": value("b", 0),
        t + "ggml.add_space_prefix": value("b", 0),
        t + "chat_template": value("s", template),
    }


def weights(n, after):
    def zeros(*shape):
        size = 1
        for k in shape:
            size *= k
        return list(shape), array("f", bytes(4 * size))

    ones = [n], array("f", [1.0]) * n
    unit, output = zeros(n, n), zeros(n, n)
    for i in range(n):
        unit[1][i * n + i] = 1.0
        output[1][after.get(i, END) * n + i] = 1.0
    layer = "blk.0."
    all = {"token_embd": unit, "output_norm": ones, "output": output,
           layer + "attn_norm": ones, layer + "ffn_norm": ones}
    for name in "attn_q", "attn_k", "attn_v", "attn_output":
        all[layer + name] = zeros(n, n)
    for name, shape in ("gate", (n, 32)), ("up", (n, 32)), ("down", (32, n)):
        all[layer + "ffn_" + name] = zeros(*shape)
    return all


def padded(b):
    return b + bytes(-len(b) % 32)


def main(out, context, template):
    words, after = vocabulary()
    keys = facts(words, int(context), open(template).read())
    tensors = weights(len(words), after)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, v in keys.items():
        head += text(key) + v
    at = 0
    for name, (shape, data) in tensors.items():
        head += text(name + ".weight") + struct.pack("<I", len(shape))
        head += struct.pack("<%dQ" % len(shape), *shape)
        head += struct.pack("<IQ", 0, at)
        at += len(padded(data.tobytes()))
    with open(out, "wb") as f:
        f.write(padded(head))
        for shape, data in tensors.values():
            f.write(padded(data.tobytes()))


main(*sys.argv[1:])

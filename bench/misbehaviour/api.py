"""api - what agents and model servers say to each other: requests of three
APIs read into one form, replies written in the API that was asked in.

A request has .messages (a list of Message), .tools (name to parameters'
schema), .stream, .bytes (of its body), .broken (what a strict server says of
it, or "") and .api: "chat", "responses" or "anthropic".  A Reply holds what the
model says; how the wire fails is in it too.
"""
import json
import time


class Message:
    """role: system, user, assistant or tool; text; calls: (id, name,
    arguments as text)."""

    def __init__(self, role, text="", calls=()):
        self.role, self.text, self.calls = role, text, list(calls)


class Request:
    def __init__(self, api, data):
        body = json.loads(data)
        self.api, self.bytes = api, len(data)
        self.broken = half_characters(body)
        self.stream = bool(body.get("stream"))
        self.messages = READ[api](body)
        self.tools = {}
        for tool in body.get("tools") or []:
            t = tool.get("function") if isinstance(
                tool.get("function"), dict) else tool
            if t.get("name"):
                self.tools[t["name"]] = (t.get("parameters") or
                                         t.get("input_schema") or {})

    @property
    def tokens(self):
        """Estimated: four bytes each, tools and all."""
        return self.bytes // 4

    def heard(self):
        """All that is said in it, to be compared."""
        return [(m.role, m.text, m.calls) for m in self.messages]

    def news(self):
        """What was added since the model spoke last."""
        last = max((i for i, m in enumerate(self.messages)
                    if m.role == "assistant"), default=-1)
        return "\n".join(m.text for m in self.messages[last + 1:])


class Reply:
    """calls: (name, arguments); arguments that are text go out as they are.
    ids: "own" (each its own), "none" or "same".  finish: None is what fits.
    wire: "" or how it fails: "die" in the middle, "stall" in the middle,
    "error" (an error event in the middle), "open" (never closed after its
    end), "endless" (the text, or else the thinking, again and again for as
    long as somebody reads), "nothing" (closed without a byte), "restart"
    (the same, and for 5 s nobody listens).  index: of every call, None: its
    own (chat only).  said: tokens, None: estimated.
    status: of an HTTP error with `error` as its body; headers with it."""

    def __init__(self, text="", calls=(), thinking="", finish=None, ids="own",
                 wire="", status=200, error="", headers=None, said=None):
        self.text, self.calls, self.thinking = text, list(calls), thinking
        self.finish, self.ids, self.wire = finish, ids, wire
        self.status, self.error, self.headers = status, error, headers or {}
        self.said, self.index = said, None


def plain(content):
    """The text of content that may be parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    return "\n".join(
        plain(p.get("text") or p.get("content") or p.get("output") or "")
        if isinstance(p, dict) else str(p) for p in content or [])


def read_chat(body):
    out = []
    for m in body.get("messages", []):
        calls = [(c.get("id"), c["function"]["name"],
                  c["function"].get("arguments", ""))
                 for c in m.get("tool_calls") or []]
        role = "system" if m["role"] == "developer" else m["role"]
        out.append(Message(role, plain(m.get("content")), calls))
    return out


def read_responses(body):
    out = [Message("system", plain(body.get("instructions") or ""))]
    items = body.get("input", [])
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    for i in items:
        kind = i.get("type", "message")
        if kind.endswith("_output"):
            out.append(Message("tool", plain(i.get("output"))))
        elif kind.endswith("_call"):
            out.append(Message("assistant", "", [(
                i.get("call_id"), i.get("name"), i.get("arguments", ""))]))
        elif kind == "message":
            role = "system" if i["role"] == "developer" else i["role"]
            out.append(Message(role, plain(i.get("content"))))
    return out


def read_anthropic(body):
    out = [Message("system", plain(body.get("system") or ""))]
    for m in body.get("messages", []):
        parts = m["content"]
        if isinstance(parts, str):
            parts = [{"type": "text", "text": parts}]
        results = [p for p in parts if p.get("type") == "tool_result"]
        calls = [(p["id"], p["name"], json.dumps(p["input"]))
                 for p in parts if p.get("type") == "tool_use"]
        out += [Message("tool", plain(p.get("content"))) for p in results]
        text = plain([p for p in parts if p.get("type") == "text"])
        if text or calls:
            out.append(Message(m["role"], text, calls))
    return out


READ = {"chat": read_chat, "responses": read_responses,
        "anthropic": read_anthropic}


def half_characters(value):
    """What is wrong with it, or "": halves of characters beyond 16 bits."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
        return ""
    except UnicodeEncodeError as e:
        return f"no low surrogate in string: char {e.start}"


def arguments(value):
    return value if isinstance(value, str) else json.dumps(value)


def pieces(text, size=24):
    return [text[i:i + size] for i in range(0, len(text), size)]


class Writer:
    """Writes one reply in an API; `send` takes the bytes of an event."""

    def __init__(self, reply, api, tokens, number, send):
        self.r, self.tokens, self.number = reply, tokens, number
        self.api, self.send = api, send
        self.said = (len(reply.text) + len(reply.thinking)) // 4 + 8 \
            if reply.said is None else reply.said

    def event(self, value, name=None):
        line = f"event: {name}\n" if name else ""
        self.send(f"{line}data: {json.dumps(value)}\n\n".encode())

    def id(self, i):
        return {"own": f"call_{self.number}_{i}", "same": "call_0",
                "none": None}[self.r.ids]

    # ---- chat ----

    def chat(self):
        def delta(d, finish=None):
            self.event({"id": f"c{self.number}", "model": "misbehaving",
                        "object": "chat.completion.chunk", "created": 1,
                        "choices": [{"index": 0, "delta": d,
                                     "finish_reason": finish}]})
        r = self.r
        delta({"role": "assistant", "content": ""})
        for p in self.pieces(r.thinking, not r.text):
            delta({"reasoning_content": p})
        for p in self.pieces(r.text):
            delta({"content": p})
        for i, (name, args) in enumerate(r.calls):
            call = {"index": i, "type": "function",
                    "function": {"name": name, "arguments": ""}}
            if self.id(i):
                call["id"] = self.id(i)
            if r.index is not None:		# whole, as Ollama sends them
                call["index"] = r.index
                call["function"]["arguments"] = arguments(args)
            delta({"tool_calls": [call]})
            for p in pieces(arguments(args)) if r.index is None else []:
                delta({"tool_calls": [{"index": i,
                                       "function": {"arguments": p}}]})
        delta({}, r.finish or ("tool_calls" if r.calls else "stop"))
        self.event({"id": f"c{self.number}", "model": "misbehaving",
                    "object": "chat.completion.chunk", "created": 1,
                    "choices": [], "usage": {
                        "prompt_tokens": self.tokens,
                        "completion_tokens": self.said,
                        "total_tokens": self.tokens + self.said}})
        self.send(b"data: [DONE]\n\n")

    def chat_whole(self):
        r = self.r
        message = {"role": "assistant", "content": r.text,
                   "reasoning_content": r.thinking}
        if r.calls:
            message["tool_calls"] = [
                {"id": self.id(i), "type": "function",
                 "function": {"name": n, "arguments": arguments(a)}}
                for i, (n, a) in enumerate(r.calls)]
        return {"id": f"c{self.number}", "object": "chat.completion",
                "created": 1, "model": "misbehaving", "choices": [{
                    "index": 0, "message": message, "finish_reason":
                    r.finish or ("tool_calls" if r.calls else "stop")}],
                "usage": {"prompt_tokens": self.tokens,
                          "completion_tokens": self.said,
                          "total_tokens": self.tokens + self.said}}

    # ---- responses ----

    def items(self):
        r, items = self.r, []
        if r.thinking:
            items.append({"type": "reasoning", "id": f"rs_{self.number}",
                          "summary": [{"type": "summary_text",
                                       "text": r.thinking}]})
        if r.text or not r.calls:
            items.append({"type": "message", "id": f"m_{self.number}",
                          "role": "assistant", "status": "completed",
                          "content": [{"type": "output_text", "text": r.text,
                                       "annotations": []}]})
        for i, (name, args) in enumerate(r.calls):
            items.append({"type": "function_call",
                          "id": f"fc_{self.number}_{i}", "name": name,
                          "call_id": self.id(i) or "",
                          "arguments": arguments(args),
                          "status": "completed"})
        return items

    def responses_whole(self, items=None):
        cut = self.r.finish == "length"
        return {"id": f"resp_{self.number}", "object": "response",
                "created_at": 1, "model": "misbehaving",
                "status": "incomplete" if cut else "completed",
                "incomplete_details":
                    {"reason": "max_output_tokens"} if cut else None,
                "output": self.items() if items is None else items,
                "usage": {"input_tokens": self.tokens,
                          "output_tokens": self.said,
                          "total_tokens": self.tokens + self.said,
                          "input_tokens_details": {"cached_tokens": 0},
                          "output_tokens_details": {"reasoning_tokens": 0}}}

    def responses(self):
        def event(name, **more):
            self.event({"type": name, **more}, name)
        event("response.created", response={
            "id": f"resp_{self.number}", "object": "response",
            "status": "in_progress", "output": []})
        for i, item in enumerate(self.items()):
            start = dict(item, status="in_progress")
            if item["type"] == "message":
                start["content"] = []
            elif item["type"] == "reasoning":
                start["summary"] = []
            elif item["type"] == "function_call":
                start["arguments"] = ""
            event("response.output_item.added", output_index=i, item=start)
            if item["type"] == "message":
                where = {"item_id": item["id"], "output_index": i,
                         "content_index": 0}
                event("response.content_part.added", **where, part={
                    "type": "output_text", "text": "", "annotations": []})
                for p in self.pieces(self.r.text):
                    event("response.output_text.delta", **where, delta=p)
                event("response.output_text.done", **where, text=self.r.text)
            elif item["type"] == "reasoning":
                where = {"item_id": item["id"], "output_index": i,
                         "summary_index": 0}
                event("response.reasoning_summary_part.added", **where,
                      part={"type": "summary_text", "text": ""})
                for p in self.pieces(self.r.thinking, not self.r.text):
                    event("response.reasoning_summary_text.delta", **where,
                          delta=p)
                event("response.reasoning_summary_text.done", **where,
                      text=self.r.thinking)
            elif item["type"] == "function_call":
                for p in pieces(item["arguments"]):
                    event("response.function_call_arguments.delta",
                          item_id=item["id"], output_index=i, delta=p)
                event("response.function_call_arguments.done",
                      item_id=item["id"], output_index=i,
                      arguments=item["arguments"])
            event("response.output_item.done", output_index=i, item=item)
        whole = self.responses_whole()
        event("response." + whole["status"], response=whole)

    # ---- anthropic ----

    def blocks(self):
        r, out = self.r, []
        if r.thinking:
            out.append({"type": "thinking", "thinking": r.thinking,
                        "signature": "s"})
        if r.text:
            out.append({"type": "text", "text": r.text})
        for i, (name, args) in enumerate(r.calls):
            out.append({"type": "tool_use", "id": self.id(i) or "",
                        "name": name, "input": arguments(args)})
        return out

    def stop_reason(self):
        return {"length": "max_tokens"}.get(
            self.r.finish, "tool_use" if self.r.calls else "end_turn")

    def anthropic_whole(self):
        blocks = self.blocks()
        for b in blocks:
            if b["type"] == "tool_use":
                try:
                    b["input"] = json.loads(b["input"])
                except ValueError:
                    b["input"] = {}
        return {"id": f"msg_{self.number}", "type": "message",
                "role": "assistant", "model": "misbehaving",
                "content": blocks, "stop_reason": self.stop_reason(),
                "usage": {"input_tokens": self.tokens,
                          "output_tokens": self.said}}

    def anthropic(self):
        def event(name, **more):
            self.event({"type": name, **more}, name)
        start = dict(self.anthropic_whole(), content=[], stop_reason=None)
        event("message_start", message=start)
        for i, b in enumerate(self.blocks()):
            kind, field = {"thinking": ("thinking_delta", "thinking"),
                           "text": ("text_delta", "text"),
                           "tool_use": ("input_json_delta",
                                        "partial_json")}[b["type"]]
            first = dict(b)
            if b["type"] == "tool_use":
                first["input"] = {}
                parts = pieces(b["input"])
            else:
                first[field] = ""
                parts = self.pieces(b[field], field == "text" or
                                    not self.r.text)
            event("content_block_start", index=i, content_block=first)
            for p in parts:
                event("content_block_delta", index=i,
                      delta={"type": kind, field: p})
            event("content_block_stop", index=i)
        event("message_delta", delta={"stop_reason": self.stop_reason()},
              usage={"output_tokens": self.said})
        event("message_stop")

    def pieces(self, text, last=True):
        """Pieces of the text; for ever where it is the last of an endless
        answer."""
        yield from pieces(text)
        while self.r.wire == "endless" and last and text:
            yield from pieces(text)
            self.said += len(text) // 4
            time.sleep(0.002)

    def failure(self):
        """The event of an error in the middle."""
        said = "the server failed in the middle of the answer"
        if self.api == "chat":
            self.event({"error": {"code": 500, "type": "server_error",
                                  "message": said}})
        elif self.api == "responses":
            self.event({"type": "response.failed", "response": {
                "id": f"resp_{self.number}", "object": "response",
                "status": "failed", "output": [], "error": {
                    "code": "server_error", "message": said}}},
                       "response.failed")
        else:
            self.event({"type": "error", "error": {
                "type": "overloaded_error", "message": said}}, "error")

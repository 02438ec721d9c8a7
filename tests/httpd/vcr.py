#!/usr/bin/env python3
"""vcr.py - turns go-vcr recordings into scripts for httpd.

    vcr.py [-s] RECORDING.yaml PREFIX

writes for exchange NN of the recording (00, 01, ...)
    PREFIX.NN        a script that gives the recorded answer
    PREFIX.NN.req    the request body that was recorded, byte for byte
Only status, Content-Type and Retry-After of the answer are kept; no header of
the request is.  An event stream becomes one directive per event.  -s sends it
without chunks (Content-Length) instead.
"""
import re
import sys

KEEP = ('content-type', 'retry-after')
QUOTED = re.compile(r'\\(?:x(..)|u(....)|U(........)|(.))', re.S)
PLAIN = {'n': '\n', 'r': '\r', 't': '\t', '0': '\0', 'a': '\a', 'b': '\b',
         'e': '\x1b', 'f': '\f', 'v': '\v', 'N': '\x85', '_': '\xa0',
         'L': '\u2028', 'P': '\u2029'}


class Reader:
    """Reads the YAML that go-vcr writes, and no more than that: mappings and
    lists by indentation, plain, quoted and literal (|) scalars."""

    def __init__(self, text):
        self.lines = text.split('\n')
        self.at = 0

    def peek(self):
        """Indentation and text of the next line that is not empty."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and line != '---':
                return len(line) - len(line.lstrip(' ')), line.strip(' ')
            self.at += 1
        return -1, ''

    def node(self, least):
        indent, text = self.peek()
        if indent < least:
            return None
        if text.startswith('- ') or text == '-':
            return self.items(indent)
        return self.mapping(indent)

    def items(self, indent):
        out = []
        while True:
            here, text = self.peek()
            if here != indent or not text.startswith('-'):
                return out
            rest = text[1:].lstrip(' ')
            if re.match(r'[A-Za-z_][\w-]*:( |$)', rest):
                inner = indent + len(text) - len(rest)
                self.lines[self.at] = ' ' * inner + rest
                out.append(self.mapping(inner))
            else:
                self.at += 1
                out.append(self.scalar(rest, indent))

    def mapping(self, indent):
        out = {}
        while True:
            here, text = self.peek()
            if here != indent or text.startswith('- '):
                return out
            key, _, rest = text.partition(':')
            rest = rest.lstrip(' ')
            self.at += 1
            if rest:
                out[key] = self.scalar(rest, indent)
                continue
            below, text = self.peek()
            # a list may stand at the indentation of its key
            least = indent if text.startswith('-') else indent + 1
            out[key] = self.node(least) if below >= least else None

    def scalar(self, text, indent):
        if text[0] == '|':
            return self.literal(text, indent)
        if text in ('{}', '[]'):
            return {} if text == '{}' else []
        if text[0] not in '\'"':
            return text
        quote = text[0]
        whole = re.compile(r"'(?:[^']|'')*'\s*$" if quote == "'" else
                           r'"(?:[^"\\]|\\.)*"\s*$', re.S)
        while not whole.match(text):
            text = self.fold(text)
        text = text.strip()[1:-1]
        if quote == "'":
            return text.replace("''", "'")
        return QUOTED.sub(self.unquote, text)

    def fold(self, text):
        """Joins the next line to a quoted scalar that goes on in it."""
        empty = 0
        while not self.lines[self.at].strip():
            empty += 1
            self.at += 1
        more = self.lines[self.at].lstrip(' ')
        self.at += 1
        if text.endswith('\\'):
            return text[:-1] + '\n' * empty + more
        return text.rstrip(' ') + ('\n' * empty or ' ') + more

    @staticmethod
    def unquote(m):
        code = m.group(1) or m.group(2) or m.group(3)
        return chr(int(code, 16)) if code else PLAIN.get(m[4], m[4])

    def literal(self, head, indent):
        out = []
        depth = indent + int(m[0]) if (m := re.search(r'\d', head)) else None
        while self.at < len(self.lines):
            line = self.lines[self.at]
            here = len(line) - len(line.lstrip(' '))
            if line.strip(' '):
                if depth is None:
                    depth = here
                if here < depth:
                    break
            out.append(line[depth or 0:])
            self.at += 1
        if self.at == len(self.lines) and out and not out[-1]:
            out.pop()       # what follows the last newline is no line
        text = ''.join(line + '\n' for line in out)
        if '+' in head:
            return text
        text = text.rstrip('\n')
        return text if '-' in head or not text else text + '\n'


def escape(text):
    def one(c):
        known = {'\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
        return known.get(c) or ('\\x%02x' % ord(c) if c < ' ' else c)
    text = ''.join(map(one, text))
    return re.sub(r' $', r'\\x20', text)


def directive(piece):
    """The directive that sends piece."""
    m = re.fullmatch(r'data: ([^\n]*)\n\n', piece)
    if m and m[1] == m[1].rstrip() and '\r' not in piece:
        return 'event ' + m[1]
    m = re.fullmatch(r'([^\n]*)(\n?)', piece)
    if m and m[1] == m[1].rstrip() and m[1] and '\r' not in piece:
        return ('line ' if m[2] else 'body ') + m[1]
    return 'text ' + escape(piece)


def script(request, response, sized):
    out = ['# %s %s' % (request['method'], request['url'].split('?')[0])]
    words = response['status'].split(' ', 1)
    out.append('status %s %s' % (response['code'], words[-1]))
    stream = False
    for name, values in (response.get('headers') or {}).items():
        if name.lower() in KEEP:
            out += ['header %s: %s' % (name, v) for v in values]
            stream |= any('event-stream' in v for v in values)
    if stream and not sized:
        out.append('chunked')
    body = response.get('body') or ''
    if stream:
        pieces = re.findall(r'.*?\n\n|.+$', body, re.S)
    else:
        pieces = body.splitlines(True) if '\r' not in body else [body]
    assert ''.join(pieces) == body
    out += [directive(p) for p in pieces]
    return '\n'.join(out) + '\n'


def main(args):
    sized = args[:1] == ['-s']
    args = args[sized:]
    if len(args) != 2:
        sys.exit('usage: vcr.py [-s] RECORDING.yaml PREFIX')
    with open(args[0], encoding='utf-8', newline='') as f:
        tape = Reader(f.read()).node(0)
    for n, turn in enumerate(tape['interactions']):
        name = '%s.%02d' % (args[1], n)
        with open(name, 'w', encoding='utf-8', newline='') as f:
            f.write(script(turn['request'], turn['response'], sized))
        with open(name + '.req', 'w', encoding='utf-8', newline='') as f:
            f.write(turn['request'].get('body') or '')


if __name__ == '__main__':
    main(sys.argv[1:])

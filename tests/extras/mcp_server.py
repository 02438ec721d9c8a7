#!/usr/bin/env python3
"""mcp_server.py - small MCP servers, good ones and hostile ones.

    mcp_server.py MODE [WORD]

Speaks MCP over stdio as far as the tests of hamr-tool need it; MODE says how
it misbehaves.
"""
import base64, json, os, sys, threading, time

MODE = sys.argv[1] if len(sys.argv) > 1 else 'good'
WORD = sys.argv[2] if len(sys.argv) > 2 else ''
out = sys.stdout.buffer
lock = threading.Lock()
seen = []           # notifications and answers that came


def raw(data):
    with lock:
        out.write(data)
        out.flush()


def put(o):
    raw(json.dumps(o).encode() + b'\n')


def result(i, r):
    if MODE == 'string-ids':
        i = str(i)
    put({'jsonrpc': '2.0', 'id': i, 'result': r})


def error(i, code, words):
    put({'jsonrpc': '2.0', 'id': i, 'error': {'code': code,
        'message': words}})


def text(s, **more):
    return dict({'content': [{'type': 'text', 'text': s}]}, **more)


def tool(name, props=None, required=(), **more):
    return dict({'name': name, 'description': 'the tool ' + name,
        'inputSchema': {'type': 'object', 'properties': props or {},
            'required': list(required)}}, **more)


def schema_of_depth(n):
    s = {}
    for _ in range(n):
        s = {'x': s}
    return dict(s, type='object')


TOOLS = [
    tool('echo', {'text': {'type': 'string'}, 'n': {'type': 'integer'}},
        ['text'], annotations={'readOnlyHint': True}),
    tool('image'), tool('kinds'), tool('fail'), tool('refuse'),
    tool('structured'), tool('slow'), tool('seen'), tool('leave'),
    tool('die', annotations={'destructiveHint': WORD == 'destructive'}),
    tool('grow'), tool('big'), tool('bad'), tool('where'), tool('write'),
    tool('escape'), tool('images'), tool('step'),
]
PNG = ('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYA'
    'AjCB0C8AAAAASUVORK5CYII=')


def page(params):
    if MODE == 'pages':
        at = int(params.get('cursor', '0'))
        r = {'tools': TOOLS[at:at + 3]}
        if at + 3 < len(TOOLS):
            r['nextCursor'] = str(at + 3)
        return r
    if MODE == 'endless-pages':
        at = int(params.get('cursor', '0'))
        return {'tools': [tool('t%d' % at)], 'nextCursor': str(at + 1)}
    if MODE == 'names':
        return {'tools': [tool('a b'), tool('a.b'), tool('x' * 100),
            tool('x' * 101), tool('same'), tool('same'), tool(''),
            {'name': 7}, 'none', tool('ümlaut')]}
    if MODE == 'schemas':
        return {'tools': [dict(tool('array'), inputSchema=[]),
            dict(tool('null'), inputSchema=None), {'name': 'none'},
            dict(tool('deep'), inputSchema=schema_of_depth(490)),
            dict(tool('huge'), inputSchema={'type': 'object',
                'description': 'x' * 100000}),
            dict(tool('untyped'), inputSchema={'properties': {'p': {}}}),
            dict(tool('odd'), inputSchema={'type': 'object',
                'properties': [], 'required': {}, 'enum': 5}),
            dict(tool('long'), description='y' * 100000)]}
    if MODE == 'odd-schemas':
        return {'tools': [dict(tool('t%d' % k), inputSchema=dict(s,
            type='object')) for k, s in enumerate(ODD)]}
    return {'tools': TOOLS}


# What a schema of a tool may be: any JSON.
ODD = [{'properties': ['a']}, {'required': [None], 'properties': {}},
    {'properties': None}, {'properties': 'x', 'required': 'y'},
    {'required': [1, {}, [], True], 'properties': {'a': None}},
    {'enum': 5, 'items': 7, 'properties': {'a': {'type': 5, 'enum': {}}}},
    {'properties': {'a': {'type': ['string', 3, None], 'items': [{}]}}},
    {'properties': {'a': {'$ref': '#/properties/a'}}},
    {'properties': {'a': dict(schema_of_depth(90), type='number')}},
    {'properties': {'a': True, '': False, 'b': []}, 'required': ['']},
    {'properties': {'a': {'type': 'number'}}}]


def die():
    os._exit(3)


def call(i, name, args, token=None):
    if MODE == 'wrong-ids':
        for wrong in (i + 1000, '%dx' % i, -1, None, 1.5, True):
            result(wrong, text('wrong'))
        raw(b'{"jsonrpc":"2.0","result":{}}\n{"id":%d,"result":{}}\n' % i)
        result(i, text('right'))
        result(i, text('twice'))
    elif MODE == 'both-keys':
        put({'jsonrpc': '2.0', 'id': i, 'result': text('good'),
            'error': None})
    elif MODE == 'batch':
        raw(json.dumps([{'jsonrpc': '2.0', 'method': 'notifications/x'},
            {'jsonrpc': '2.0', 'id': i, 'result': text('batched')}])
            .encode() + b'\n')
    elif MODE == 'huge':
        result(i, text('x' * (20 << 20)))
    elif MODE == 'endless':
        while True:
            raw(b'x' * 65536)
    elif MODE == 'flood':
        for _ in range(60):
            sys.stderr.write('noise ' * 20000 + '\n')
        result(i, text('after the noise'))
    elif MODE == 'pings':
        for k in range(5000):
            put({'jsonrpc': '2.0', 'id': 'p%d' % k, 'method': 'ping'})
        result(i, text('after the pings'))
    elif MODE == 'asks':
        put({'jsonrpc': '2.0', 'id': 'a', 'method': 'ping'})
        put({'jsonrpc': '2.0', 'id': 7, 'method': 'roots/list'})
        put({'jsonrpc': '2.0', 'id': 'c',
            'method': 'sampling/createMessage', 'params': {}})
        waiting.append((i, len(seen) + 3))
    elif name == 'odd' or MODE == 'odd-schemas':
        result(i, text(json.dumps(args)))
    elif name == 'echo':
        result(i, text(args['text']))
    elif name == 'image':
        result(i, {'content': [{'type': 'text', 'text': 'look'},
            {'type': 'image', 'data': PNG, 'mimeType': 'image/png'},
            {'type': 'image', 'data': 'no base64!', 'mimeType':
                'image/png'},
            {'type': 'image', 'data': PNG, 'mimeType': 'text/html'}]})
    elif name == 'images':
        result(i, {'content': [{'type': 'image', 'data': d,
            'mimeType': 'image/png'} for d in ('', None, 'AAA', 'A===',
            'AA=A', 'QUJD', PNG[:28], PNG[:40] + '\n' + PNG[40:],
            base64.b64encode(base64.b64decode(PNG) + bytes(3750000))
                .decode())]})
    elif name == 'kinds':
        result(i, {'content': [{'type': 'audio', 'data': 'AAAA',
            'mimeType': 'audio/wav'}, {'type': 'resource', 'resource':
            {'uri': 'file:///x', 'text': 'y'}}, {'type': 'new'}, 5]})
    elif name == 'fail':
        result(i, text('it did not work', isError=True))
    elif name == 'refuse':
        error(i, -32602, 'these are \x1b[31mwrong\x1b]0;t\x07')
    elif name == 'structured':
        result(i, {'content': [], 'structuredContent': {'a': 1.50}})
    elif name == 'step':
        for wrong in (-1, None, '%dx' % token):
            put({'jsonrpc': '2.0', 'method': 'notifications/progress',
                'params': {'progressToken': wrong, 'progress': 9}})
        put({'jsonrpc': '2.0', 'method': 'notifications/progress', 'params':
            {'progressToken': token, 'progress': 1, 'total': 2, 'message':
                'half\x1b[1mway'}})
        result(i, text('stepped'))
    elif name == 'slow':
        time.sleep(60 if 'hangs' in args else 0)
    elif name == 'seen':
        result(i, text(json.dumps(seen)))
    elif name == 'leave':
        result(i, text('bye'))
        die()
    elif name == 'die':
        mark = '%s/mcp-died-%s-%s' % (os.environ.get('TMPDIR', '/tmp'), WORD,
            os.getcwd().replace('/', '_'))
        if WORD.startswith('once') and os.path.exists(mark):
            os.unlink(mark)
            result(i, text('alive again'))
        else:
            open(mark, 'w').close()
            die()
    elif name == 'grow':
        TOOLS.append(tool('grown%d' % len(TOOLS)))
        put({'jsonrpc': '2.0', 'method':
            'notifications/tools/list_changed'})
        result(i, text('grown'))
    elif name == 'big':
        result(i, text('\n'.join(map(str, range(100000)))))
    elif name == 'bad':
        raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text",'
            b'"text":"a\\u0000b\xff\\ud800c"}]}}\n' % i)
    elif name == 'where':
        result(i, text(json.dumps([os.getcwd(), os.environ.get('GIVEN'),
            os.environ.get('SET'), os.environ.get('HIDDEN'),
            os.environ.get('npm_config_cache')])))
    elif name == 'write':
        try:
            with open(args.get('at', 'made-by-mcp'), 'w') as f:
                f.write('x')
            result(i, text('written'))
            if 'then' in args:      # after the call
                time.sleep(0.2)
                open(args['then'], 'w').close()
        except OSError as e:
            result(i, text(e.strerror, isError=True))
    elif name == 'escape':
        result(i, text('a\x1b[31mb\x1b]0;t\x07c'))


waiting = []        # calls that wait for answers to our questions
raw_garbage = b'Starting server...\n{"jsonrpc":\n[]\nnull\n5\n\n\xff\xfe\n{}\n'

if MODE == 'exits':
    sys.stderr.write('first\nno module named x\n')
    sys.exit(3)
if MODE == 'warns':
    sys.stderr.write('Error: in a setting that has no meaning\n')
    sys.stderr.flush()
if MODE == 'node':
    sys.stderr.write("node:internal/modules/cjs/loader:1368\n  throw err;\n"
        "  ^\n\nError: Cannot find module 'x'\n    at f (y)\n  code: 'Z'\n"
        "}\n\nNode.js v22.12.0\n")
    sys.exit(1)
if MODE == 'npm':
    sys.stderr.write('npm error code E404\nnpm error 404 Not Found - x\n'
        'npm error 404\nnpm error A complete log of this run can be found '
        'in: /x\n')
    sys.exit(1)
if MODE == 'late':
    time.sleep(float(WORD))
if MODE == 'silent':
    time.sleep(60)
if MODE == 'deaf':
    time.sleep(0.2)
    sys.stdin.close()
    time.sleep(60)
if MODE == 'garbage':
    raw(raw_garbage)
if MODE == 'flood':
    sys.stderr.write('noise ' * 200000 + '\n')
for line in sys.stdin:
    m = json.loads(line)
    i, method = m.get('id'), m.get('method')
    params = m.get('params') or {}
    if MODE == 'garbage':
        raw(raw_garbage)
    if method is None:
        seen.append(m)
        if waiting and len(seen) >= waiting[0][1]:
            result(waiting.pop()[0], text(json.dumps(seen)))
    elif i is None:
        seen.append([method, params])
        if method == 'notifications/initialized' and MODE == 'idle':
            def ask():
                time.sleep(0.3)
                put({'jsonrpc': '2.0', 'id': 'idle', 'method': 'ping'})
            threading.Thread(target=ask, daemon=True).start()
    elif method == 'initialize':
        if MODE == 'no-init':
            error(i, -32600, 'no')
        else:
            seen.append([method, params])
            result(i, {'protocolVersion': '2024-11-05', 'capabilities':
                {'tools': {'listChanged': True}}, 'serverInfo':
                {'name': 'small', 'version': '1'}})
    elif method == 'tools/list':
        if MODE == 'no-list':
            error(i, -32601, 'no such method')
        elif MODE == 'refuse-list':
            error(i, -32603, 'the key is missing')
        elif MODE == 'null-list':
            result(i, None)
        else:
            if MODE == 'late-list' and TOOLS[-1]['name'] != 'step':
                time.sleep(1)
            if MODE == 'novel':
                TOOLS[0]['description'] = str(time.time())
            result(i, page(params))
            if MODE in ('restless', 'novel'):
                put({'jsonrpc': '2.0', 'method':
                    'notifications/tools/list_changed'})
    elif method == 'tools/call':
        call(i, params['name'], params['arguments'],
            params.get('_meta', {}).get('progressToken'))
    elif method == 'ping':
        result(i, {})
    else:
        error(i, -32601, 'no such method')

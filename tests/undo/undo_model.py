"""undo_model.py - random edits, writes, commands and undos against a model.

usage: undo_model.py SEED STEPS   (in an empty folder; hamr-tool on PATH)

The model holds the bytes, kind and x bit of every file, and a stack of the
states before each change that can be taken back.  After every step the tree
must be what the model says; somebody else's change must make an undo refuse
and change nothing.
"""
import json
import os
import random
import stat
import subprocess
import sys

rnd = random.Random(int(sys.argv[1]))
NAMES = ['a', 'b', 'd/x', 'd/y', 'd/e/z', 'sp ace', 'l', 'k\u00e9', 'd']
TOOL = ['hamr-tool', '--no-config', '--root', '.']


def tree():
    out = {}
    for folder, dirs, files in os.walk('.'):
        if folder == '.':
            dirs[:] = [d for d in dirs if d not in ('.git', '.hamr')]
        else:
            out[folder[2:] + '/'] = ('folder', os.stat(folder).st_mode, False)
        for name in files + [d for d in dirs
                             if os.path.islink(os.path.join(folder, d))]:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            if stat.S_ISLNK(st.st_mode):
                out[path[2:]] = ('link', os.readlink(path), False)
            else:
                out[path[2:]] = ('file', open(path, 'rb').read(),
                                 bool(st.st_mode & 0o100))
    return out


def run(*args):
    p = subprocess.run(TOOL + list(args), capture_output=True, timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def text():
    lines = ['%d' % rnd.randrange(30) for _ in range(rnd.randrange(1, 6))]
    return '\n'.join(lines) + rnd.choice(['\n', ''])


def command():
    n = ["'%s'" % rnd.choice(NAMES) for _ in range(2)]
    t = "'%s'" % text()
    return rnd.choice([
        'mkdir -p d/e; printf %s {t} >{a}', 'printf %s {t} >>{a}',
        'rm -rf {a}', 'mv {a} {b}', 'cp -r {a} {b}', 'chmod +x {a}',
        'chmod -x {a}', 'rm -rf {a}; ln -s nowhere {a}',
        'rm -rf d; printf %s {t} >d', 'rm -rf d; mkdir d; printf %s {t} >d/x',
        'true', 'printf %s {t} >{a}; printf %s {t} >{b}; false',
    ]).format(a=n[0], b=n[1], t=t)


def fail(what):
    print('seed %s: %s' % (sys.argv[1], what))
    sys.exit(1)


stack = []          # (id, state before, state after)


def note(before):
    now = tree()
    listed = [json.loads(x) for x in run('undo', '--list')[1].splitlines()]
    if now == before:
        if len(listed) != len(stack):
            fail('an entry for nothing')
        return
    if len(listed) != len(stack) + 1:
        fail('no entry for a change')
    paths = sorted(p for p in set(now) | set(before)
                   if now.get(p) != before.get(p))
    files = [p for p in paths if p[-1] != '/']
    # of folders alone, the topmost
    paths = files or [p for i, p in enumerate(paths)
                      if not any(p.startswith(q) for q in paths[:i])]
    if sorted(listed[0]['paths']) != paths:
        fail('paths %r, wanted %r' % (listed[0]['paths'], paths))
    stack.append((listed[0]['id'], before, now))


def undo(count):
    """Take back the newest, or all since the checkpoint of the count-th."""
    if not stack:
        if run('undo')[0] != 1:
            fail('undo of nothing')
        return
    before = tree()
    listed = [json.loads(x) for x in run('undo', '--list')[1].splitlines()]
    args, want = [], stack[-1][1]
    pop = 1
    if count > 1:
        args = [listed[min(count, len(listed)) - 1]['checkpoint']]
        pop = sum(1 for x in listed
                  if int(x['id'][1:]) > int(args[0][2:]))
        want = stack[-pop][1]
    # what somebody else left is not taken back
    sound = all(stack[-i][1] == stack[-i - 1][2] for i in range(1, pop))
    sound = sound and stack[-1][2] == before
    code, out, err = run('undo', *args)
    if sound and (code != 0 or tree() != want):
        fail('undo %r: %d %s%s' % (args, code, out, err))
    if code == 0:
        del stack[-pop:]
    elif code != 77 or tree() != before:
        fail('a refused undo: %d %s' % (code, err))


for step in range(int(sys.argv[2])):
    before = tree()
    what = rnd.random()
    if what < 0.35:
        run('--yes', 'bash', json.dumps({'command': command()}))
        note(before)
    elif what < 0.5:
        run('--yes', 'write', json.dumps({'path': rnd.choice(NAMES),
                                          'content': text()}))
        note(before)
    elif what < 0.65 and before:
        run('--yes', 'edit', json.dumps({
            'path': rnd.choice(sorted(before)), 'old': str(rnd.randrange(9)),
            'new': rnd.choice(['', 'new', 'x\ny']), 'all': True}))
        note(before)
    elif what < 0.7:
        path = rnd.choice(sorted(before) or ['a'])
        if not os.path.islink(path) and os.path.isfile(path):
            open(path, 'a').write('mine')
    else:
        undo(rnd.choice([1, 1, 1, 2, 3]))
    for name in os.listdir('.'):
        if name.startswith('.hamr-tmp'):
            fail('a leftover')
print('ok')

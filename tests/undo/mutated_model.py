"""mutated_model.py - what one hamr-tool says its commands changed, against what
they did, while somebody else changes files between them.

usage: mutated_model.py SEED STEPS   (in an empty folder; hamr-tool on PATH)

The process stays up, so it may know that nothing has happened without a look.
"""
import hashlib
import json
import os
import random
import subprocess
import sys

rnd = random.Random(int(sys.argv[1]))
NAMES = ['a', 'b', 'd/x', 'd/y', 'd/e/z', 'new/n', 'ig.o']
MMAP = ("python3 -c \"import mmap,os,sys; f = open('{a}', 'r+b'); "
        "m = mmap.mmap(f.fileno(), 0); f.close(); m[0] = m[0] ^ 1\"")


def tree():
    out = {}
    for folder, dirs, files in os.walk('.'):
        dirs[:] = [d for d in dirs if d not in ('.git', '.hamr')]
        for name in files:
            path = os.path.join(folder, name)[2:]
            with open(path, 'rb') as file:
                out[path] = (hashlib.sha256(file.read()).hexdigest(),
                             os.stat(path).st_mode & 0o100)
    return out


def command():
    return rnd.choice([
        'true', 'cat {a}', 'printf x >>{a}', 'mkdir -p d/e new', MMAP,
        'mkdir -p new; echo {t} >{a}', 'rm -f {a}', 'mv d e; mv e d',
        'mv {a} {b}', 'cp {a} {b}', 'chmod +x {a}', 'touch {a}',
        'rm -rf d; mkdir d', 'ln {a} {b}', 'ln {a} {b} && printf z >>{b}',
        'rm -f ig.o; echo {t} >ig.o',
        'git init -q d/e; echo {t} >d/e/z; rm -rf d/e/.git', 'rm -f {a} {b}',
        'touch -r {a} stamp; printf y | dd of={a} conv=notrunc; '
        'touch -r stamp {a}; rm stamp',
    ]).format(a=rnd.choice(NAMES), b=rnd.choice(NAMES), t=rnd.randrange(9))


def say(record):
    tool.stdin.write(json.dumps(record) + '\n')


def mutated(step, text):
    say({'role': 'assistant', 'content': None, 'finish_reason': 'tool_calls',
         'tool_calls': [{'id': 'c%d' % step, 'type': 'function', 'function': {
             'name': 'bash', 'arguments': json.dumps({'command': text})}}]})
    say({'type': 'go', 'n': step})
    tool.stdin.flush()
    paths = None
    for line in tool.stdout:
        record = json.loads(line)
        if record.get('role') == 'tool':
            paths = [x['path'] for x in record['meta'].get('mutated', [])]
        elif record.get('type') == 'error':
            sys.exit('seed %s: %s' % (sys.argv[1], line))
        elif record.get('type') == 'go':
            return paths
    sys.exit('seed %s: it ended' % sys.argv[1])


subprocess.run('git init -q .; echo "*.o" >.gitignore; echo 1 >a; mkdir d; '
               'echo 2 >d/x; git add -A', shell=True, check=True)
tool = subprocess.Popen(
    ['hamr-tool', '-n', '--yes', '--no-config', '--root', '.'], text=True,
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
say({'role': 'user', 'content': 'go on'})
ignored = True
for step in range(int(sys.argv[2])):
    if rnd.random() < 0.3:
        subprocess.run(['bash', '-c', command()], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    if rnd.random() < 0.1:
        ignored = not ignored
        with open('.gitignore', 'w') as file:
            file.write('*.o\n' if ignored else '')
    before = tree()
    text = command()
    said = mutated(step, text)
    now = tree()
    did = sorted(p for p in set(now) | set(before)
                 if now.get(p) != before.get(p) and
                 not (ignored and p == 'ig.o'))
    # what was once seen is looked at from then on
    if [p for p in said if not (ignored and p == 'ig.o')] != did:
        sys.exit('seed %s, step %d: %s: said %r, did %r' % (
            sys.argv[1], step, text, said, did))
tool.stdin.close()
sys.exit(tool.wait())

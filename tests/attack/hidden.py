"""hidden - secrets: in the repository, in the home, in the environment."""
import json
import os

import world
from rows import UNSANDBOXED, attack, family, inside

family("hidden", "Secrets")
IN_ROOT = (".env", ".ENV", ".env.production", ".Env.Local", "prod.env",
    "key.pem", "key.PEM", "server.key", "server.p12", "id_rsa", "ID_RSA",
    "id_ed25519", ".netrc", "credentials", ".npmrc", ".pypirc", ".pgpass",
    ".git-credentials", "kubeconfig", "vault.kdbx", "store.jks",
    "service-account.json", "service-account-prod.json", "secrets.yml",
    "secrets.yaml", "secrets.json", "secrets.toml")
IN_HOME = (".ssh/id_rsa", ".gnupg/key", ".aws/credentials", ".azure/x",
    ".kube/config", ".docker/config.json", ".netrc", ".git-credentials",
    ".npmrc", ".pypirc", ".password-store/x.gpg", ".mozilla/x",
    ".config/gh/hosts.yml", ".config/gcloud/x", ".config/hamr/config.toml",
    ".config/google-chrome/x", ".bash_history")


def repository(w):
    for n in IN_ROOT:
        w.put("root/s/" + n, f"# CANARY-{n}\n")


@attack("S14", "read shows secrets of the repository, by name, link or search",
    layers=("any",), control=lambda w: (repository(w),
    w.run("cat", "s/.env").out)[1])
def read(w):
    repository(w)
    os.symlink("s/.env", w.root + "/plain")
    came = [n for n in IN_ROOT + ("../plain", ".//.env", "x/../.env")
        if "CANARY" in w.tool("read", {"path": "s/" + n}).content]
    r = w.tool("read", {"path": ".", "query": "CANARY-"}).content
    return came + [x for x in r.splitlines()[1:] if "CANARY" in x][:3] or ""


def homes(w):
    for n in IN_HOME:
        if "hamr/config" not in n:
            w.put("home/" + n, "# CANARY\n")
        else:
            w.put("home/" + n, "# CANARY\n[agent]\nmode = \"patch\"\n")


@inside("S14", "reads the keys of the home folder", before=homes)
def home(w):
    return readable(w.home, IN_HOME)


def readable(base, names):
    came = []
    for n in names:
        for path in (f"{base}/{n}", f"/proc/self/root{base}/{n}"):
            try:
                with open(path) as f:
                    if "CANARY" in f.read():
                        came.append(n)
                        break
            except OSError:
                pass
    return " ".join(came)


@inside("S14", "reads untracked secrets of the repository",
    before=repository, said={"landlock": "hide the secrets in it"})
def untracked(w):
    return readable(w.root + "/s", IN_ROOT)


@attack("S14", "a secret's folder is shut, by its user or a command, then "
    "moved, opened and read", said={"landlock": "hide the secrets in it",
    "none": UNSANDBOXED})
def shut(w):
    for n in ("a/was/.env", "b/later/.env", "c/later/.env"):
        w.put("root/" + n, "CANARY\n")
    os.chmod(w.root + "/a/was", 0)
    r = w.loop([[("bash", {"command": c})] for c in ("chmod 0 */later",
        "mv a A; mv b B; cd c; mv later moved; true",
        "chmod 700 */*; cat */*/.env; cat b/later/.env")], "--yes")
    os.chmod(w.root + ("/A/was" if w.has("root/A/was") else "/a/was"), 0o700)
    return [x[:80] for x in r.out.splitlines() if '"role":"tool"' in x and
        "CANARY" in json.loads(x)["content"]]


@attack("S14", "a command moves a secret deeper than any path reaches, the next "
    "reads it", said={"landlock": "hide the secrets in it",
    "none": UNSANDBOXED})
def deep(w):
    w.put("root/a/.env", "CANARY\n")
    r = w.loop([[("bash", {"command": "python3 - <<'E'\nimport os\n" + c +
        "\nE"})] for c in (
        "root = os.open('.', 0)\nfor i in range(18):\n"
        "    os.mkdir('d' * 250); os.chdir('d' * 250)\n"
        "os.rename('a', 'b', src_dir_fd=root)",
        "for i in range(18): os.chdir('d' * 250)\n"
        "print(open('b/.env').read())")], "--yes")
    return [x[:80] for x in r.out.splitlines() if '"role":"tool"' in x and
        "CANARY" in json.loads(x)["content"]]


@attack("S14", "a command reads a secret in a folder of an editor's, in one that "
    "holds something tracked, or once it has renamed the folder",
    said={"landlock": "hide the secrets in it", "none": UNSANDBOXED})
def renamed(w):
    for n in (".vscode/.env", "a/.env", "b/.env", "c/credentials/more",
            "c/credentials/a.key", "d/own.yml"):
        w.put("root/" + n, "CANARY\n")
    w.put("root/c/credentials/tracked")
    w.put("root/e/plain", "CANARY\n")
    os.symlink("e/plain", w.root + "/e.key")
    w.run("git", "add", "c/credentials/tracked")
    r = w.loop([[("bash", {"command": c})] for c in (
        "cat .vscode/* c/credentials/*; mkdir .HAMR .GIT; mv a .HAMR/; "
        "mv b .GIT/; mv c/credentials c/C; mv d D; mv e E; true",
        "cat .HAMR/*/.env .GIT/*/.env c/C/* D/* E/*")], "--yes", "-o",
        'sandbox.mask=["d/own.yml"]')
    return [x[:80] for x in r.out.splitlines() if '"role":"tool"' in x and
        "CANARY" in json.loads(x)["content"]]


@attack("S14", "a command that may write .git has git track a secret, the next "
    "reads it", said={"landlock": "hide the secrets in it",
    "none": UNSANDBOXED})
def tracked(w):
    w.put("root/id_rsa", "CANARY\n")
    r = w.loop([[("bash", {"command": c})] for c in (
        "git update-index --add --cacheinfo 100644,$(git hash-object -w "
        "/dev/null),id_rsa", "cat id_rsa")], "--yes", "-o",
        "sandbox.git_write=true")
    return [x[:80] for x in r.out.splitlines() if '"role":"tool"' in x and
        "CANARY" in json.loads(x)["content"]]


@inside("S14", "reads /etc/shadow", users=("root",), layers=("bubblewrap",
    "landlock"), control=lambda w: os.path.exists("/etc/shadow"))
def shadow(w):
    with open("/etc/shadow") as f:
        return "readable" if f.read(1) else ""


@attack("S23", "hundreds of secret names push the home's out of the list",
    said={"none": UNSANDBOXED})
def many(w):
    w.put("home/.ssh/id_rsa", "CANARY\n", 0o600)
    for i in range(520):
        w.put(f"root/e/{i}/.env")
    r = w.bash("cat ~/.ssh/id_rsa")
    return "CANARY" in r.content


@attack("S23", "a command makes them, the next reads ~/.ssh",
    layers=("bubblewrap", "landlock"))
def many_made(w):
    w.put("home/.ssh/id_rsa", "CANARY\n", 0o600)
    make = "mkdir -p e/{1..520}; touch e/{1..520}/.env"
    read = ("bash", {"command": "cat ~/.ssh/id_rsa"})
    r = w.loop([[("bash", {"command": make}), read], [read]], "--yes")
    return [x[:80] for x in r.out.splitlines() if '"role":"tool"' in x and
        "CANARY" in json.loads(x)["content"]]


SECRET = "CANARY-0123456789abcdef"


@attack("S14", "a command finds a key of hamr's in some environment or on a "
    "command line", layers=("bubblewrap", "landlock"),
    control=lambda w: keys(w, SHELL))
def environment(w):
    return keys(w)


SHELL = "the shell itself"
FIND = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null; env"


def keys(w, how=None):
    env = {"OPENAI_API_KEY": SECRET, "MY_TOKEN": SECRET}
    if how:
        return SECRET in w.run("sh", "-c", FIND, env=env).out
    r = w.loop([[("bash", {"command": FIND})]], "--yes", env=env)
    return SECRET in r.out


@attack("S14", "a command reads hamr's memory, descriptors or folders",
    layers=("bubblewrap", "landlock"), control=lambda w: w.run("sh", "-c",
    "readlink /proc/$$/fd/0; ls /proc/$PPID/root").out)
def memory(w):
    r = w.bash("""for p in $(grep -l hamr /proc/[0-9]*/cmdline 2>/dev/null |
            cut -d/ -f3); do for f in mem environ maps fd/0; do
        head -c 1 /proc/$p/$f >/dev/null 2>&1 && tr '\\0' ' ' \\
            </proc/$p/cmdline | grep -q '^[^ ]*hamr-' && echo OPEN $f
        done; done""", env={"OPENAI_API_KEY": SECRET})
    return [x for x in r.content.splitlines() if "OPEN" in x]


@attack("S14", "the key is in a transcript, a log, an error or a run log",
    layers=("any",), control=lambda w: keys(w, SHELL))
def logs(w):
    env = {"OPENAI_API_KEY": SECRET}
    r = w.run("hamr-loop", "--json", "--base-url", "http://127.0.0.1:9/v1",
        "--model", "m", "-o", "provider.max_retries=0", "-o",
        "agent.provider_wait=0", "hi", env=env)
    w.run("hamr-loop", "--doctor", env=env)
    found = w.run("grep", "-rl", SECRET, ".hamr", w.home).out
    return SECRET in r.out + r.err and "said" or found

#!/bin/bash
# fleet-slurm.t - hamr-fleet run --slurm, on a Slurm of one node, our own.
. "$(dirname "$0")/../lib.sh"
PATH=$TOP/examples:$PATH:/usr/sbin
if [ "$(id -u)" != 0 ] || ! { command -v sbatch && command -v slurmctld &&
    command -v slurmd; } >/dev/null; then
	skip "hamr-fleet --slurm" "slurmctld and slurmd, and root, are needed"
	done_testing
fi
quick_jq quick
export FLEET_PATH=$T/quick:$BIN FLEET_DIR=$T/work SLURM_CONF=$T/slurm.conf
at_end() {
	for p in "${pids[@]}"; do kill "$p" && wait "$p"; done 2>/dev/null
}
pids=()
mkdir spool state
read -r c d < <(shuf -n 2 -i 20000-32000 | paste -sd' ')
cat >slurm.conf <<C
ClusterName=t
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$c
SlurmdPort=$d
SlurmctldPidFile=$T/ctld.pid
SlurmdPidFile=$T/slurmd.pid
SlurmdSpoolDir=$T/spool
StateSaveLocation=$T/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_min_interval=10000
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=p Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4
C
slurmctld -D >ctld.log 2>&1 &
pids+=($!)
slurmd -D >slurmd.log 2>&1 &
pids+=($!)
for i in $(seq 150); do
	sinfo -h -o %t 2>/dev/null | grep -q idle && break
	sleep 0.2
done
if ! sinfo -h -o %t 2>/dev/null | grep -q idle; then
	skip "hamr-fleet --slurm" "no slurmd starts here: $(tail -n 1 slurmd.log)"
	done_testing
fi

git init -q repo && echo hello >repo/f && git -C repo add f &&
    git -C repo -c user.name=t -c user.email=t@example.invalid commit -qm c
cat >script <<'S'
{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"write","arguments":"{\"path\":\"g\",\"content\":\"bye\\n\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":"g now says bye.","finish_reason":"stop"}
S
task() {	# ID
	jq -cn --arg i "$1" --arg t "$T" '{id: $i, repository: "\($t)/repo",
	    task: "add g", options: ["--replay", "\($t)/script", "--no-config"]}'
}
for i in $(seq 6); do task "t $i"; done >tasks
jq -cn '{id: "gone", repository: "/nowhere", task: "x"}' >>tasks
status "run --slurm: one cannot be done" 1 timeout 200 hamr-fleet run --slurm \
    -j 2 out tasks
match "how far it is" "$(cat "$T/.err")" "*hamr-fleet: * of 7, *left*"
match "the table" "$(cat "$T/.out")" "tasks *7
solved *6
not run *1
*gone: lost: [!:]*: /nowhere: not a git repository*"
is "each is there" "$(ls out/results | paste -sd,)" \
    "t%201,t%202,t%203,t%204,t%205,t%206"
match "with its diff" "$(cat out/results/t%201/diff.patch)" "*+bye"
head -n 6 tasks >six
status "run --resume: nothing to do" 0 timeout 60 hamr-fleet run --resume \
    --slurm out six

# --- stopped, and going on; TASKS=200 for many
n=${TASKS:-12}
for i in $(seq "$n"); do task "s$i"; done >many
hamr-fleet run --slurm -j 2 stop many >/dev/null 2>err &
run=$!
for i in $(seq 600); do
	[ "$(ls stop/results 2>/dev/null | wc -l)" -ge $((n / 6)) ] && break
	sleep 0.2
done
kill -TERM $run
wait $run
is "stopped: status" "$?" 130
match "stopped: how to go on" "$(tail -n 1 err)" "*--resume goes on"
for i in $(seq 100); do [ -n "$(squeue -h)" ] || break; sleep 0.2; done
is "stopped: no job is left" "$(squeue -h)" ""
some=$(ls stop/results | wc -l)
ok "stopped: in the middle ($some)" test "$some" -lt "$n"
began=$SECONDS
status "stopped: it goes on" 0 timeout 900 hamr-fleet run --resume --slurm \
    stop many
echo "# $((n - some)) tasks in $((SECONDS - began)) s"
is "stopped: all are there" "$(hamr-fleet report --json stop | tail -n 1 |
    jq -c '[.tasks, .solved]')" "[$n,$n]"
done_testing

import { getEventListeners } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { killAllProcesses } from '@lantern-room/adapters/process'
import { type ProcessTask, runProcess } from '#internal/adapters/process/processRunner'
import { startPortProcess } from '#support/process/portProcess'
import { workerPath } from '#support/process/workerPath'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { eventually, until } from '#support/values/until'
import { refusal } from '../../../contract/ports/expected'
import { childProcesses, openPipes } from '../../../contract/ports/leaks'

const onLinux = process.platform === 'linux'
const test = suite('child processes', { timeoutMs: 30_000 })
const real = test.skipUnless(onLinux, 'it looks into /proc')
let before: readonly string[] = []

const worker = workerPath('unit/adapters/process/processWorker')
const startProcess = (args: readonly string[]) => startPortProcess(args, worker)

const run = (args: readonly string[], task: Partial<ProcessTask> = {}) =>
  runProcess({
    file: '/bin/sh',
    args: ['-c', ...args],
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    ...task,
  })

test.before(async () => {
  // The guard starts with the first child and stays.
  await run(['exit 0'])
  before = await held()
})
test.after.each(async () => {
  const newOnes = async () => (await held()).filter((one) => !before.includes(one))
  await eventually(newOnes, (left) => left.length === 0, { ms: 10_000 })
})

test('the exit code and both outputs come back', async () => {
  const outcome = await run(['printf "out"; printf "err 1\\nerr 2" >&2; exit 7'])
  assert.equal(
    { ...outcome, stdout: new TextDecoder().decode(outcome.stdout) },
    { exitCode: 7, stdout: 'out', stderr: 'err 1\nerr 2' },
  )
})

test('arguments reach the program as they are, with a memory limit too', async () => {
  const args = ['', ' ', '$HOME', '"; exit 9; "', '*', '-c', 'ä\n', "'"]
  for (const memoryLimitBytes of [undefined, 2 ** 30]) {
    const task = { file: '/usr/bin/printf', args: ['%s\\0', ...args], memoryLimitBytes }
    const { exitCode, stdout } = await run([], task)
    assert.is(exitCode, 0)
    assert.equal(new TextDecoder().decode(stdout).split('\0').slice(0, -1), args)
  }
})

test('a program that does not exist cannot be started, with a memory limit too', async () => {
  for (const memoryLimitBytes of [undefined, 2 ** 30]) {
    for (const file of ['/nowhere/program', 'no-such-program-here', '/etc/passwd', '/tmp'])
      await refusal(run([], { file, args: [], memoryLimitBytes }), 'unavailable')
  }
  await refusal(run(['x'.repeat(4_000_000)]), 'unavailable')
})

test('a program that a signal ended has no exit code', async () => {
  assert.is((await run(['kill -SEGV $$'])).exitCode, null)
})

real('the memory limit holds for the program', async () => {
  const { stdout } = await run(['ulimit -v'], { memoryLimitBytes: 100 * 1024 * 1024 })
  assert.is(new TextDecoder().decode(stdout).trim(), '102400')
  assert.is(new TextDecoder().decode((await run(['ulimit -v'])).stdout).trim(), 'unlimited')
})

real('what the program started dies with it, at an abort and after its own end', async () => {
  const abort = new AbortController()
  const pids = numbers()
  const running = run(['sleep 3600 & echo $! >&2; (sleep 3600 & echo $! >&2; wait) & wait'], {
    signal: abort.signal,
    onStderrLine: pids.take,
  })
  const both = await pids.atLeast(2)
  abort.abort(new Error('enough'))
  assert.match(String(await rejection(running)), /enough/)
  await gone(both)

  const left = numbers()
  const { exitCode } = await run(['sleep 3600 </dev/null >/dev/null 2>&1 & echo $! >&2; exit 5'], {
    onStderrLine: left.take,
  })
  assert.is(exitCode, 5)
  await gone(await left.atLeast(1))
})

real('somebody outside of the group who holds its output does not keep us waiting', async () => {
  const pids = numbers()
  const abort = new AbortController()
  const task = { signal: abort.signal, onStderrLine: pids.take }
  // Its number comes from itself, once it is outside.
  const running = run(["setsid sh -c 'echo $$ >&2; exec sleep 3600' & wait"], task)
  const [stranger = 0] = await pids.atLeast(1)
  abort.abort(new Error('enough'))
  assert.match(String(await rejection(running)), /enough/)
  assert.ok(await isRunning(stranger), 'it was not killed, and not waited for')
  process.kill(stranger, 'SIGKILL')
})

test('all running programs are killed at once', async () => {
  const running = [1, 2, 3].map(() => run(['sleep 3600 & wait']))
  killAllProcesses()
  for (const { exitCode } of await Promise.all(running)) assert.is(exitCode, null)
  killAllProcesses()
})

test('a timeout longer than a timer can be is no timeout of zero', async () => {
  for (const timeoutMs of [2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY])
    assert.is((await run(['sleep 0.05; exit 6'], { timeoutMs })).exitCode, 6)
})

test('a signal that is used many times collects no listeners', async () => {
  const { signal } = new AbortController()
  for (const script of ['exit 0', 'exit 1', 'sleep 5'])
    await run([script], { signal, timeoutMs: 200 }).catch(() => undefined)
  await refusal(run([], { file: '/nowhere', args: [], signal }), 'unavailable')
  assert.is(getEventListeners(signal, 'abort').length, 0)
})

test('four hundred short programs leave nothing', async () => {
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 40 }, () => run(['exit 0'])))
})

real('when we are killed, our programs and theirs end as well', async () => {
  for (const role of ['run', 'feed']) {
    const ours = startProcess([role])
    const pids = pidsIn(await ours.line())
    for (const pid of pids) assert.ok(await isRunning(pid))
    await ours.kill()
    await gone(pids)
  }
})

real('when a thread of ours is ended, its programs end too, and the process goes on', async () => {
  const ours = startProcess(['thread'])
  const pids = pidsIn(await ours.line())
  ours.child.kill('SIGUSR2')
  assert.is(await ours.line(), 'terminated')
  await gone(pids)
  assert.is(ours.child.exitCode, null)
  await ours.kill()
})

real('a second signal ends everything at once', async () => {
  const ours = startProcess(['impatient'])
  const pids = pidsIn(await ours.line())
  ours.child.kill('SIGTERM')
  assert.is((await ours.ended()).exit, 0)
  await gone(pids)
})

real('neither the runner nor its guard keeps a process alive, and the guard goes with it', async () => {
  const ours = startProcess(['quick'])
  assert.is(await ours.line(), 'exit code 3')
  assert.is((await ours.ended()).exit, 0)
  await until('its guard has ended', async () => (await guardsOf(ours.child.pid)).length === 0)
})

real('the guard outlives Ctrl-C and a polite end of the service, and still does its work', async () => {
  const ours = startProcess(['run'])
  const pids = pidsIn(await ours.line())
  const [guard, ...others] = await guardsOf(ours.child.pid)
  if (guard === undefined) throw new Error('There is no guard.')
  assert.equal(others, [])
  await until('its first line has run', () => ignoresTerm(guard))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(guard, signal)
  await sleep(50)
  assert.equal(await guardsOf(ours.child.pid), [guard])
  await ours.kill()
  await gone([...pids, guard])
})

async function held(): Promise<string[]> {
  return [...openPipes(), ...(await childProcesses())]
}

function pidsIn(line: string): number[] {
  const pids = line.split(' ').slice(1).map(Number)
  assert.ok(pids.length > 0 && pids.every((pid) => pid > 1), line)
  return pids
}

function numbers() {
  const found: number[] = []
  return {
    take: (line: string) => found.push(Number(line)) > 0,
    async atLeast(count: number): Promise<number[]> {
      await until('all are started', () => found.length >= count)
      return found
    },
  }
}

async function gone(pids: readonly number[]): Promise<void> {
  assert.ok(pids.length > 0)
  const areGone = async () => (await Promise.all(pids.map(isRunning))).every((running) => !running)
  await until('all have ended', areGone)
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

async function ignoresTerm(pid: number): Promise<boolean> {
  const [, mask = '0'] = /^SigIgn:\s+(\S+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n
}

/** Shells in a session of their own whose parent is, or was, this process, and whose text is the guard's. */
async function guardsOf(parent: number | undefined): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [stat, command] = await Promise.all(
        ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      const [, itsParent] = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ')
      return itsParent === String(parent) && (command ?? '').includes('kill -s KILL')
        ? Number(pid)
        : undefined
    }),
  )
  return found.flatMap((pid) => pid ?? [])
}

test.run()

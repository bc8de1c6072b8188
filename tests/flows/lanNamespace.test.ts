import { findProgram } from '#support/process/findProgram'
import { startServer } from '#support/process/serverProcess'
import { workerPath } from '#support/process/workerPath'
import { assert, suite } from '#support/runner/suite'

// Loopback carries no IPv6 multicast on Linux, and has no cable to pull: both need a network of their own.
const test = suite('LAN in a network namespace', { timeoutMs: 40_000 })

const canUnshare = process.getuid?.() === 0 && findProgram('unshare') && findProgram('ip')
const inNamespace = test.skipUnless(canUnshare, 'network namespaces need root, unshare and ip')
const worker = workerPath('support/namespaces/lanWorker')

/** Runs the worker in an empty network, then the commands. @returns what it heard */
async function hears(interfaces: string, commands: readonly string[]): Promise<unknown> {
  const script = `"$0" "$1" ${interfaces} & worker=$!; sleep 1; ${commands.join(' && ')}; wait $worker`
  const run = startServer(['-n', 'sh', '-c', script, process.execPath, worker], {}, 'unshare')
  const code = await run.ended
  assert.is(code, 0, run.stderr())
  return JSON.parse(run.stdout())
}

const cable = ['ip link add v0 type veth peer name v1', 'ip link set v0 up', 'ip link set v1 up']
const world = { motd: 'a world', port: 25565, address: '127.0.0.1', isLocal: true }

inNamespace('worlds are announced and heard in IPv6, on an interface that came later', async () => {
  const commands = [...cable, 'ip -6 addr add fd01::1/64 dev v0 nodad']
  assert.equal(await hears('fd01::1', commands), world)
})

inNamespace('the same in IPv4, without a route', async () => {
  assert.equal(await hears('v0', [...cable, 'ip addr add 10.9.0.1/24 dev v0']), world)
})

test.run()

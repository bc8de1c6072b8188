import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { closingOfEachTest } from '#support/process/closing'
import { findProgram } from '#support/process/findProgram'
import { QUICK_JAVA } from '#support/process/java'
import { observe, projectRoot } from '#support/process/serverProcess'
import { startProcessTarget } from '#support/room/roomTargets'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('the example clients of the documentation', { timeoutMs: 90_000 })

const { keep, add } = closingOfEachTest(test)
const CLIENTS = join(projectRoot, 'docs/clients')
const EXAMPLES = [
  { program: 'python3', options: [], file: 'room_client.py' },
  { program: 'java', options: QUICK_JAVA, file: 'RoomClient.java' },
] as const

for (const { program, options, file } of EXAMPLES) {
  const found = findProgram(program)
  test.skipUnless(found, `${program} is not installed`)(
    `${file} hosts, joins, is refused and stops`,
    async () => {
      const world = keep(await startWorld())
      const [host, guest] = await Promise.all([startProcessTarget(), startProcessTarget()])
      add(host.stop)
      add(guest.stop)
      const start = (args: readonly string[]) => {
        const client = run(found ?? program, [...options, join(CLIENTS, file), ...args])
        add(() => client.end('SIGKILL'))
        return client
      }
      const hosting = start([host.url, 'host', 'Alex "A"', String(world.port)])
      const [, code = ''] = await hosting.said(/open (U\/\S+) players 1/)
      const joining = start([guest.url, 'join', 'Steve', code])
      const [, port] = await joining.said(/joined 127\.0\.0\.1(?::(\d+))? players/)
      assert.is(await world.echoThrough(Number(port ?? 25_565), 'hello'), 'hello')
      await hosting.said(/open U\/\S+ players 2/)
      const refused = start([guest.url, 'join', 'Kim', 'nonsense'])
      assert.is(await refused.ended, 2)
      assert.match(refused.stdout(), /^refused (conflict|invalid-request) /)
      hosting.enter()
      assert.is(await hosting.ended, 0)
      assert.is(await joining.ended, 1)
      assert.match(joining.stdout(), /failed (room-closed|connection-lost) /)
    },
  )
}

function run(program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  return { ...observe(child), enter: () => child.stdin.write('\n') }
}

test.run()

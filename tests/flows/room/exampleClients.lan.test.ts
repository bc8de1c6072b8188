import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { closingOfEachTest } from '#support/process/closing'
import { findProgram } from '#support/process/findProgram'
import { projectRoot } from '#support/process/serverProcess'
import { startProcessTarget } from '#support/room/roomTargets'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('the example clients of the documentation', { timeoutMs: 90_000 })

const { keep, add } = closingOfEachTest(test)
const CLIENTS = join(projectRoot, 'docs/clients')
const EXAMPLES = [
  { program: 'python3', options: [], file: 'room_client.py' },
  // It compiles the file at each start, which takes twice as long with the compiler for programs that run on.
  { program: 'java', options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'], file: 'RoomClient.java' },
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
        add(async () => client.kill())
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
      assert.match(refused.text(), /^refused (conflict|invalid-request) /)
      hosting.enter()
      assert.is(await hosting.ended, 0)
      assert.is(await joining.ended, 1)
      assert.match(joining.text(), /failed (room-closed|connection-lost) /)
    },
  )
}

function run(program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code]): number => code)
  return {
    ended,
    text: () => text,
    enter: () => child.stdin.write('\n'),
    kill: () => child.kill('SIGKILL'),
    async said(pattern: RegExp): Promise<RegExpExecArray> {
      for (const deadline = Date.now() + 180_000; Date.now() < deadline; ) {
        const match = pattern.exec(text)
        if (match) return match
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`it never said ${pattern}: ${text}`)
    },
  }
}

test.run()

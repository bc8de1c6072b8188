import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { projectRoot } from '#support/process/serverProcess'
import { runRoomCommand } from '#support/room/roomCommand'
import { openServedTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: help and wrong usage', { timeoutMs: 60_000 })

test('with --json the version tells the contract and every command with its options', async () => {
  const { exit, stdout } = await runRoomCommand(['--version', '--json'])
  assert.is(exit, 0)
  const told = JSON.parse(stdout) as { name: string; contractVersion: string; features: string[] }
  assert.is(told.name, 'room')
  assert.match(told.contractVersion, /^\d+\.\d+$/)
  const { stdout: help } = await runRoomCommand(['serve', '--help'])
  const options = [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].flatMap(([, name = '']) => name)
  assert.ok(options.includes('port-file'))
  for (const name of options.filter((option) => !['help', 'version'].includes(option)))
    assert.ok(told.features.includes(`serve.${name}`), name)
  for (const command of ['open', 'serve', 'host', 'join', 'relay', 'doctor', 'report'])
    assert.ok(told.features.includes(command))
})

test('the version is that of the package', async () => {
  const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'))
  assert.equal(await runRoomCommand(['host', '-V']), { exit: 0, stdout: `${version}\n`, stderr: '' })
})

test('help is on standard output: of all, and of each command', async () => {
  for (const args of [
    ['help'],
    ...['open', 'serve', 'host', 'join', 'relay', 'doctor', 'report'].map((name) => [name, '--help']),
  ]) {
    const { exit, stdout, stderr } = await runRoomCommand(args)
    assert.equal([exit, stderr], [0, ''], args.join(' '))
    assert.match(stdout, args.length > 1 ? `room ${args[0]}` : 'Exit codes')
    assert.ok(
      stdout.split('\n').every((line) => line.length <= 80),
      args.join(' '),
    )
  }
})

// What the parser refuses by itself is in `parseRoomCommand.test.ts`.
const WRONG: readonly (readonly [string, RegExp])[] = [
  ['', /Say what to do/],
  ['host --game-port 23448', /--game-port: TCP port 23448 is used by the room protocol/],
  ['host --private --room U/0000-0000-0000-0000', /--private: --room is the code of an open room/],
  [
    'join U/0000-0000-0000-0000 --direct maybe --heartbeat-ms 1',
    /settings are wrong: .*--direct.*--heartbeat-ms/,
  ],
  ['A'.repeat(10_000), /^room: There is no command "A{40}…"/],
  ['join U/0000-0000-0000-0001', /At least one character of the room code is wrong/],
  ['serve --token secret-token', /ROOM_API_TOKEN/],
  ['relay --tcp 99999', /--tcp "99999": allowed is/],
]
for (const [line, sentence] of WRONG) {
  test(`"room ${line.slice(0, 80)}" is one sentence and exit code 2`, async () => {
    const { exit, stdout, stderr } = await runRoomCommand(line.split(' ').filter(Boolean))
    assert.is(exit, 2, stderr)
    assert.is(stdout, '')
    assert.match(stderr, sentence)
    assert.match(stderr, /^room: [^\n]+\.\n$|^room: [^\n]+ See room/)
    assert.is(stderr.trim().split('\n').length, 1)
  })
}

test('a service that runs on this machine is no world, and nothing is opened for it', async () => {
  const target = await openServedTarget(createMemoryNetwork().roomNetwork)
  try {
    const { port } = new URL(target.url)
    for (const option of [`--game-port=${port}`, `--share=map=${port}/tcp`]) {
      const { exit, stdout, stderr } = await runRoomCommand(['host', option])
      assert.equal([exit, stdout], [2, ''])
      assert.match(
        stderr,
        new RegExp(`^room: --(game-port|share): TCP port ${port} is used by another Lantern Room`),
      )
    }
  } finally {
    await target.stop()
  }
})

test('wrong variables of the environment are exit code 3, and all of them are named', async () => {
  const settings = { ROOM_PORT: 'x', ROOM_HEARTBEAT_MS: '1' }
  const { exit, stderr } = await runRoomCommand(['serve'], settings)
  assert.is(exit, 3)
  assert.match(stderr, /ROOM_PORT="x".*ROOM_HEARTBEAT_MS="1"/)
})

test.run()

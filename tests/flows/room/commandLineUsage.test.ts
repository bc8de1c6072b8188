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

/** What is typed, and what it is told in English and in Chinese; each is exit code 2. */
const WRONG: readonly (readonly [typed: string, english: RegExp, chinese: RegExp])[] = [
  ['', /Say what to do: open, .* or relay\./, /请写明要做什么：open、.* 或 relay。/],
  ['--name Alex', /Name the command before its options: .*\(--name came first\)/, /请先写命令再写选项/],
  ['A'.repeat(10_000), /^room: There is no command "A{40}…"/, /^room: 没有 "A{40}…" 这个命令/],
  [
    'kick Alex',
    /kick is typed into the window where room host runs: kick NAME/,
    /kick 要在运行 room host 的窗口里输入：kick 名字/,
  ],
  ['keep 8123', /where room join runs: keep PORT/, /运行 room join 的窗口里输入：keep 端口号/],
  [
    'host --nmae Alex',
    /room host has no option --nmae\. Did you mean --name\?/,
    /room host 没有选项 --nmae。是不是想写 --name？/,
  ],
  ['host --name', /--name needs a value\./, /--name 后面要写一个值。/],
  ['host --json=yes', /--json takes no value\./, /--json 不带值。/],
  ['host Alex', /room host takes options only; what is "Alex"\?/, /room host 只接受选项；"Alex" 是什么？/],
  [
    'host --game-port 0',
    /--game-port must be a whole number from 1 to 65535, not "0"/,
    /--game-port 应为从 1 到 65535 的整数，而不是 "0"/,
  ],
  [
    'host --game-port 23448',
    /--game-port: TCP port 23448 is used by the room protocol/,
    /--game-port：TCP 端口 23448 用于房间协议/,
  ],
  ['host --share voice', /--share takes up to \d+ ports/, /--share 最多写 \d+ 个端口/],
  [
    'host --room U/1',
    /--room: A room code has 16 letters/,
    /--room：“U\/” 或 “L\/” 后面应有 16 个字母和数字/,
  ],
  [
    'host --private --room U/0000-0000-0000-0000',
    /--private: --room is the code of an open room/,
    /--private：--room 给出的是普通房间的房间码/,
  ],
  [
    'host --mods-folder /nowhere/mods',
    /--mods-folder: There is no such folder/,
    /--mods-folder：没有这个文件夹/,
  ],
  ['join', /Name the room code that your friend sent you/, /请写上朋友发给你的房间码/],
  ['join --resume', /There is no room to go back to/, /没有可以回去的房间/],
  [
    'join U/0000-0000-0000-0001',
    /At least one character of the room code is wrong/,
    /房间码中至少有一个字符不对/,
  ],
  ['join lantern-room:damaged', /The invitation is damaged/, /邀请链接不完整/],
  [
    'join U/0000-0000-0000-0000 --local-port 80',
    /--local-port must be a port .* "80" cannot be used/,
    /--local-port 应是.*"80" 不能用/,
  ],
  [
    'join U/0000-0000-0000-0000 --keep-ports 80',
    /--keep-ports: each must be a port .* "80" cannot be used/,
    /--keep-ports：每个都应是.*"80" 不能用/,
  ],
  [
    'join U/0000-0000-0000-0000 --direct maybe --heartbeat-ms 1',
    /settings are wrong: .*--direct.*--heartbeat-ms/,
    /有几项设置不对：.*--direct "maybe".*--heartbeat-ms "1"：应为从 200 到 10000 的整数（毫秒）；默认为 5000。/,
  ],
  ['serve --token secret-token', /ROOM_API_TOKEN/, /请通过环境变量 ROOM_API_TOKEN 提供令牌/],
  ['relay --tcp 99999', /--tcp "99999": allowed is/, /--tcp "99999"：应为从 1 到 65535 的端口，0 表示不开/],
  [
    'relay --password x',
    /--password no longer exists: serve wss/,
    /--password 已经取消：请在 ws 端口前用反向代理提供 wss/,
  ],
]
for (const [line, ...sentences] of WRONG) {
  test(`"room ${line.slice(0, 80)}" is one sentence and exit code 2, in both languages`, async () => {
    const ended = await Promise.all(
      ['C', 'zh_CN.UTF-8'].map((LANG) => runRoomCommand(line.split(' ').filter(Boolean), { LANG })),
    )
    for (const [at, { exit, stdout, stderr }] of ended.entries()) {
      assert.is(exit, 2, stderr)
      assert.is(stdout, '')
      assert.match(stderr, sentences[at] ?? '')
      assert.is(stderr.trim().split('\n').length, 1)
    }
    assert.match(ended[0]?.stderr ?? '', /^room: [^\n]+\.\n$|^room: [^\n]+ See room/)
    assert.not.match(ended[1]?.stderr ?? '', ENGLISH)
  })
}

/** Three words in a row; names of commands, options and examples stand alone. */
const ENGLISH = /[a-z]{2,} [a-z]{2,} [a-z]{2,}/i

test('in a Chinese terminal the help is Chinese, and as wide as the English one', async () => {
  for (const args of [
    ['help'],
    ...['open', 'serve', 'host', 'join', 'relay', 'doctor', 'report'].map((name) => [name, '-h']),
  ]) {
    const { exit, stdout } = await runRoomCommand(args, { LANG: 'zh_CN.UTF-8' })
    assert.is(exit, 0)
    for (const line of stdout.split('\n')) {
      assert.ok(
        line.length + (line.match(/[\p{Script=Han}\u3000-\u303f\uff00-\uff60]/gu)?.length ?? 0) <= 80,
        line,
      )
      assert.not.match(line, ENGLISH)
    }
  }
})

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

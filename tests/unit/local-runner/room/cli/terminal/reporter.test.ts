import type { Profile } from '@lantern-room/protocol'
import { IDLE_VIEW } from '#support/room/idleView'
import { assert, suite } from '#support/runner/suite'
import { createReporter, createScreen } from '../../../../../../local-runner/room/cli/terminal/reporter'

// What a host and a guest are told in turn: tests/flows/room/commandLinePlay.lan.test.ts.

const test = suite('room: progress for a person')

const player = (name: string, kind: Profile['kind'], vendor: string): Profile => ({
  name,
  vendor,
  kind,
  machineId: name.toLowerCase(),
})

test("a stranger's name cannot rewrite the terminal", () => {
  const lines: string[] = []
  const screen = createScreen((line) => void lines.push(line), false)
  const show = createReporter({ screen, elapsed: () => 0, hasColour: false, language: 'en' })
  const stranger = player('\x1b[2J\nroom: ', 'HOST', '\u202e')
  for (const players of [[], [player('L', 'LOCAL', 'V 1'), stranger]])
    show({ ...IDLE_VIEW, stage: 'Guest_Running', players })
  assert.match(lines.at(-1) ?? '', '+ ?[2J?room:  (?)')
})

/** What a terminal shows after these views of a host, with the lines that were taken back left out. */
function shown(language: 'en' | 'zh-CN'): readonly string[] {
  const written: string[] = []
  const screen = createScreen((text) => void written.push(text), true)
  const show = createReporter({ screen, elapsed: () => 0, hasColour: false, language })
  const room = 'U/YNZE-U61D-2206-HXRG'
  const host = { ...IDLE_VIEW, role: 'host', room, gamePort: 25_565, worldName: 'My Island' } as const
  const notice = { code: 'open-world', text: 'Open your world to LAN.' } as const
  show({ ...host, stage: 'Host_GameDetecting', gamePort: 0, notice })
  show({ ...host, stage: 'Host_ScaffoldingStarting' })
  show({ ...host, stage: 'Host_NetworkStarting' })
  show({ ...host, stage: 'Host_Running' })
  const inside = [player('Alex', 'HOST', 'V 1')]
  show({ ...host, stage: 'Host_Running', players: inside })
  show({ ...host, stage: 'Host_Running', players: [...inside, player('Steve', 'GUEST', 'V 1')] })
  return written
    .join('')
    .split('\n')
    .map((line) => line.replace(/^.*\r\x1b\[K/, ''))
}

test('a host is told how to open the world and which one was found, and the code stays the last line', () => {
  const lines = shown('en')
  assert.ok(lines.length <= 30)
  assert.ok(lines.some((line) => /In the game: Esc, Open to LAN/.test(line)))
  assert.ok(lines.some((line) => /Found the world “My Island” on port 25565/.test(line)))
  assert.ok(lines.includes('  |   U/YNZE-U61D-2206-HXRG   |'))
  assert.match(lines.at(-2) ?? '', /\+ Steve \(V 1\)$/)
  assert.is(lines.at(-1), '  Room code: U/YNZE-U61D-2206-HXRG ')
})

test('in Chinese no line is English', () => {
  const lines = shown('zh-CN')
  assert.match(lines[0] ?? '', '正在寻找你的世界')
  assert.is(lines.at(-1), '  房间码：U/YNZE-U61D-2206-HXRG ')
  for (const line of lines) assert.not.match(line, /[a-z]{3}.* [a-z]{3}/)
})

test.run()

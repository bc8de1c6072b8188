import type { Profile } from '#core/room/profiles'
import { IDLE_VIEW } from '#core/room/service/state/roomView'
import { assert, suite } from '#support/runner/suite'
import { createReporter } from '../../../../../../local-runner/room/cli/terminal/reporter'

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
  const write = (line: string) => void lines.push(line)
  const reporter = createReporter({ write, elapsed: () => 0, hasColour: false })
  const stranger = player('\x1b[2J\nroom: ', 'HOST', '\u202e')
  for (const players of [[], [player('L', 'LOCAL', 'V 1'), stranger]])
    reporter.show({ ...IDLE_VIEW, stage: 'Guest_Running', players })
  assert.match(lines.at(-1) ?? '', '+ ?[2J?room:  (?)')
})

test.run()

import { ServiceError } from '@lantern-room/base'
import { ConfigError } from '@lantern-room/base/settings'
import { assert, suite } from '#support/runner/suite'
import { failureOf } from '../../../../local-runner/commandLine/failure'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('failures of programs')

const CASES: readonly (readonly [string, unknown, number, string])[] = [
  ['usage', new UsageError('Name it.'), 2, 'Name it. See room --help.'],
  ['usage of a command', new UsageError('Name it.', 'host'), 2, 'Name it. See room host --help.'],
  ['settings', new ConfigError(['A=1: no.', 'B=2: no.']), 3, 'A setting is wrong: A=1: no. B=2: no.'],
  ['a refusal', new ServiceError('invalid-request', 'No\x1b[2J.'), 1, 'No?[2J.'],
  ['something missing', new ServiceError('unavailable', 'No port.'), 3, 'No port.'],
  ['too much at once', new ServiceError('too-busy', 'Wait.'), 3, 'Wait.'],
  [
    'a mistake of ours',
    new TypeError('x\ny'),
    1,
    'This program made a mistake. Please report it: TypeError: x?y',
  ],
]
for (const [name, thrown, exitCode, sentence] of CASES) {
  test(name, () => assert.equal(failureOf(thrown, 'room'), { exitCode, sentence }))
}

test.run()

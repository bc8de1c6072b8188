import { assert, suite } from '#support/runner/suite'
import { readArguments, UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('reading arguments')

const TABLE = {
  name: { value: 'NAME', help: [] },
  list: { value: 'LIST', mayBeEmpty: true, help: [] },
  output: { value: 'FILE', short: 'o', help: [] },
  force: { short: 'f', help: [] },
} as const
const RULES = {
  command: 'host',
  unknownOption: (rawName: string, name: string) => `no ${rawName}, which is ${name}`,
}

function read(line: string) {
  const { given, words } = readArguments(line === '' ? [] : line.split(' '), TABLE, RULES)
  return [Object.fromEntries(given), words]
}

const READ: readonly (readonly [string, ReturnType<typeof read>])[] = [
  ['', [{}, []]],
  ['a --name b c', [{ name: 'b' }, ['a', 'c']]],
  ['--name=b --force', [{ name: 'b', force: '' }, []]],
  ['-fo x', [{ force: '', output: 'x' }, []]],
  ['-ox', [{ output: 'x' }, []]],
  ['--name a --name b', [{ name: 'b' }, []]],
  ['--name -1', [{ name: '-1' }, []]],
  ['--name=--force', [{ name: '--force' }, []]],
  ['--list=', [{ list: '' }, []]],
  ['-f -- --name -x', [{ force: '' }, ['--name', '-x']]],
  ['-', [{}, ['-']]],
]
for (const [line, expected] of READ) test(`"${line}"`, () => assert.equal(read(line), expected))

const REFUSED: readonly (readonly [string, string])[] = [
  ['--other', 'no --other, which is other'],
  ['-x', 'no -x, which is x'],
  ['--toString', 'no --toString, which is toString'],
  ['--__proto__', 'no --__proto__, which is __proto__'],
  ['--name', '--name needs a value.'],
  ['--name=', '--name needs a value.'],
  ['--name --force', '--name needs a value.'],
  ['-o', '-o needs a value.'],
  ['--force=yes', '--force takes no value.'],
]
for (const [line, message] of REFUSED) {
  test(`"${line}" is refused`, () => {
    assert.throws(
      () => read(line),
      (error: unknown) =>
        error instanceof UsageError && error.message === message && error.command === 'host',
    )
  })
}

test('the sentence about an unknown option names the command, if there is one', () => {
  const refusal = (command?: string) => () => readArguments(['--x'], TABLE, command ? { command } : {})
  assert.throws(refusal(), /^There is no option --x\.$/)
  assert.throws(refusal('host'), /^host has no option --x\.$/)
})

test.run()

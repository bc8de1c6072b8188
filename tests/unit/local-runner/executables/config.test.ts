import { tmpdir } from 'node:os'
import { assert, suite } from '#support/runner/suite'
import { readReleaseChoice, releaseDate } from '../../../../local-runner/executables/config'

const test = suite('what is released')

test('words choose programs and targets; without one of a kind it is all of them', () => {
  assert.equal(
    readReleaseChoice(['room', 'win-x64', '--unpacked', '--out', 'x', '--url', 'https://a.example/v1/']),
    {
      programs: ['room'],
      targets: ['win-x64'],
      isPacked: false,
      folder: 'x',
      downloads: 'https://a.example/v1',
    },
  )
  const { programs, targets, isPacked, folder, downloads } = readReleaseChoice([])
  assert.equal(programs, ['room', 'lantern-room'])
  assert.equal(targets, ['win-x64', 'linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'])
  assert.equal([isPacked, folder, downloads], [true, undefined, undefined])
})

test('another word is refused with those that exist', () => {
  assert.throws(() => readReleaseChoice(['win32']), 'There is no "win32": room, lantern-room, win-x64, ')
  for (const url of ['http://a.example', 'https://a b', 'https://a"', ''])
    assert.throws(() => readReleaseChoice(['--url', url]), '--url is the https address')
})

test('the date is the given one; without it and without a commit it has to be given', async () => {
  assert.is((await releaseDate('.', '1700000000')).toISOString(), '2023-11-14T22:13:20.000Z')
  for (const epoch of ['', '12', 'today']) {
    const error = await releaseDate(tmpdir(), epoch).catch((thrown: unknown) => thrown)
    assert.match(String(error), 'Set SOURCE_DATE_EPOCH')
  }
})

test.run()

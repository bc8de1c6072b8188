import { refuseMisspelt } from '#internal/base/formFields'
import { assert, suite } from '#support/runner/suite'

const test = suite('the names of fields')

const KNOWN =
  'session_id range_start range_end cover_time speed profile mute quality hdr crop rotate repeat from to time_zone'.split(
    ' ',
  )

function meant(name: string, ...others: readonly string[]): string | undefined {
  return meantBy([name, ...others].map((each) => [each, '1']))
}

function meantBy(fields: Iterable<readonly [string, unknown]>): string | undefined {
  try {
    refuseMisspelt(fields, KNOWN)
    return undefined
  } catch (error) {
    return /Did you mean (\w+)\?/.exec(String(error))?.[1]
  }
}

test('that are written otherwise, or with a typing error, are refused with the one that is meant', () => {
  for (const [name, known] of [
    ['rangeStart', 'range_start'],
    ['range-end', 'range_end'],
    ['RANGE_END', 'range_end'],
    ['range_strat', 'range_start'],
    ['cover_tme', 'cover_time'],
    ['covertiem', 'cover_time'],
    ['sped', 'speed'],
    ['rtoaet', 'rotate'],
    ['pprofiel', 'profile'],
    ['profil', 'profile'],
    ['qualtiy', 'quality'],
    ['timezone', 'time_zone'],
    ['hrd', 'hdr'],
    ['To', 'to'],
  ])
    assert.is(meant(name ?? ''), known, name)
})

test('that are known, or far from all, are not; nor those beside the right one', () => {
  for (const name of [
    ...KNOWN,
    'token',
    'csrf',
    'utm_source',
    'id',
    'ts',
    'start',
    'end',
    'title',
    '',
    '__proto__',
  ])
    assert.is(meant(name), undefined, name)
  assert.is(meant('rangeStart', 'range_start'), undefined, 'a client that serves two services')
  assert.is(meant('x'.repeat(100_000)), undefined)
  assert.is(
    meantBy([
      ['range_start', '1'],
      ['rangeStart', '2'],
    ]),
    'range_start',
    'another value: which of the two is meant cannot be known',
  )
})

test('of a request with thousands of them, the first are compared', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `unknown-${index}`)
  assert.is(meant('rangeStart', ...many), 'range_start')
  assert.is(meant('unknown', ...many, 'rangeStart'), undefined)
})

test.run()

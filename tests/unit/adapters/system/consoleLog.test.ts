import type { LogLevel } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import { createConsoleLog } from '#internal/adapters/system/consoleLog'
import { assert, suite } from '#support/runner/suite'

const test = suite('the log of a local host')
const now = () => new Date(Date.UTC(2024, 1, 29, 12, 0, 1, 250))

function written(act: (log: ReturnType<typeof createConsoleLog>) => void, level: LogLevel = 'debug') {
  const lines: string[] = []
  act(createConsoleLog({ level, now, write: (line) => lines.push(line) }))
  return lines
}

function fieldsOf(fields: Record<string, unknown>): Record<string, unknown> {
  const [line = ''] = written((log) => log.info('it', fields))
  assert.is(line.indexOf('\n'), line.length - 1)
  const { time, level, message, ...rest } = JSON.parse(line)
  assert.equal([time, level, message], ['2024-02-29T12:00:01.250Z', 'info', 'it'])
  return rest
}

test('an entry is one line of JSON', () => {
  assert.equal(
    written((log) => log.warn('session swept', { count: 3, ids: ['a', 'b'], none: undefined })),
    [
      '{"time":"2024-02-29T12:00:01.250Z","level":"warn","message":"session swept","count":3,"ids":["a","b"]}\n',
    ],
  )
  assert.equal(
    written((log) => log.error('plain')),
    ['{"time":"2024-02-29T12:00:01.250Z","level":"error","message":"plain"}\n'],
  )
})

test('a line end in a value does not begin a line', () => {
  assert.is(written((log) => log.info('a\nb', { 'x\r\n': 'y\u2028\n' })).length, 1)
  assert.equal(fieldsOf({ 'x\r\n': 'y\n' }), { 'x\r\n': 'y\n' })
})

test('entries below the level are left out', () => {
  const levels = ['debug', 'info', 'warn', 'error'] as const
  for (const [at, level] of levels.entries()) {
    const lines = written((log) => {
      for (const each of levels) log[each](each)
    }, level)
    assert.equal(
      lines.map((line) => JSON.parse(line).message),
      levels.slice(at),
    )
  }
})

test('a field cannot take the place of time, level or message', () => {
  const [line = ''] = written((log) => log.info('true', { time: 'x', level: 'x', message: 'x', other: 1 }))
  const entry = { time: '2024-02-29T12:00:01.250Z', level: 'info', message: 'true', other: 1 }
  assert.equal(JSON.parse(line), entry)
})

test('errors are logged with code, text for clients, stack and cause', () => {
  const cause = Object.assign(new Error('ENOENT: /secret'), { code: 'ENOENT' })
  const { error } = fieldsOf({ error: new ServiceError('unavailable', 'Not now.', { cause }) }) as {
    error: Record<string, unknown> & { cause: Record<string, unknown> }
  }
  assert.is(error.name, 'ServiceError')
  assert.is(error.code, 'unavailable')
  assert.is(error.detail, 'Not now.')
  assert.match(String(error.stack), /consoleLog\.test/)
  assert.is(error.cause.message, 'ENOENT: /secret')
  assert.is(error.cause.code, 'ENOENT')
})

test('nothing that a field holds can throw or hang', () => {
  const circle: Record<string, unknown> = { name: 'circle' }
  circle.self = circle
  const loop = new Error('loop')
  loop.cause = loop
  const shared = { one: 1 }
  assert.equal(fieldsOf({ circle }), {})
  assert.equal(fieldsOf({ a: shared, b: shared, c: [shared] }), { a: shared, b: shared, c: [shared] })
  assert.equal(fieldsOf({ big: 2n ** 70n, none: null, symbol: Symbol('x'), act: () => 1 }), {
    big: '1180591620717411303424',
    none: null,
  })
  assert.ok(JSON.stringify(fieldsOf({ loop })).length < 20_000)
  const hostile = {
    get value(): never {
      throw new Error('no')
    },
  }
  assert.equal(fieldsOf({ hostile }), {})
  assert.equal(
    fieldsOf({
      toJSON: () => {
        throw new Error('no')
      },
    }),
    {},
  )
})

test.run()

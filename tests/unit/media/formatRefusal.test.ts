import { ServiceError } from '@lantern-room/base'
import { bytesSource, FormatError, inspect, readFrom, readNow } from '@lantern-room/formats'
import { refusals, refusing, serviceErrorOf } from '#internal/media/formatRefusal'
import { assert, suite } from '../../support/runner/suite'
import { rejectedRefusal, thrownBy, thrownFormatError, thrownRefusal } from '../../support/values/failures'

const test = suite('formatRefusal')

const text = new TextEncoder().encode('no photo at all')
const source = bytesSource(text)

test('what a file is refused for has the code of the service, and the same words', async () => {
  const own = thrownFormatError(() => readNow(inspect(source), text), 'unknown-format')
  const now = thrownRefusal(() => refusing(() => readNow(inspect(source), text)), 'unsupported-media')
  const late = await rejectedRefusal(refusals(readFrom(inspect(source), source)), 'unsupported-media')
  assert.equal([now.detail, late.detail], [own.detail, own.detail])
})

test('the reason for developers stays the cause', () => {
  const error = serviceErrorOf(
    new FormatError('invalid-part', 'It could not be written.', { cause: 'no ftyp' }),
  )
  assert.ok(error instanceof ServiceError)
  assert.equal([error.code, error.detail, error.cause], ['internal', 'It could not be written.', 'no ftyp'])
})

test('other errors stay what they are', () => {
  const error = new ServiceError('not-found', 'It was removed.')
  const fail = () => {
    throw error
  }
  assert.is(serviceErrorOf(error), error)
  assert.is(
    thrownBy(() => refusing(fail)),
    error,
  )
})

test('work that succeeds has its own result', async () => {
  assert.equal([refusing(() => 1), await refusals(Promise.resolve(2))], [1, 2])
})

test.run()

import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { checkHealth } from '#core/media/checkHealth'
import { suite } from '#support/runner/suite'

const test = suite('the check of health')
const works = async () => 'ffmpeg version 7'
const fails = (code: ConstructorParameters<typeof ServiceError>[0]) => () =>
  Promise.reject(new ServiceError(code, 'The bucket family-films does not exist.'))

test('a store and an ffmpeg that work are healthy', async () => {
  await checkHealth({ store: { check: async () => undefined }, ffmpeg: { version: works } })
})

for (const [thrown, code] of [
  ['unavailable', 'unavailable'],
  ['timeout', 'timeout'],
  ['internal', 'unavailable'],
] as const)
  test(`a store that fails with ${thrown} is ${code}, without the store's own words`, async () => {
    const error = await checkHealth({ store: { check: fails(thrown) }, ffmpeg: { version: works } }).then(
      () => undefined,
      (caught: unknown) => caught,
    )
    assert.instance(error, ServiceError)
    if (!(error instanceof ServiceError)) return
    assert.is(error.code, code)
    assert.not.match(error.detail, /family-films/)
    assert.match(String(error.cause), /family-films/)
  })

test('an ffmpeg that does not run is what it says', async () => {
  const version = fails('unavailable')
  const error = await checkHealth({ store: { check: async () => undefined }, ffmpeg: { version } }).catch(
    (caught: unknown) => caught,
  )
  assert.match(String(error), /family-films/)
})

test.run()

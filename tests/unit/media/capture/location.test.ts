import * as assert from 'uvu/assert'
import { parseLocation } from '#core/media/capture/location'
import { suite } from '#support/runner/suite'

const test = suite('a place in a video')

test('north and east are positive, and the altitude may be missing', () => {
  assert.equal(parseLocation('+48.1372+011.5755+519.000/'), {
    latitude: 48.1372,
    longitude: 11.5755,
    altitude: 519,
  })
  assert.equal(parseLocation('-33.8568-070.5/'), {
    latitude: -33.8568,
    longitude: -70.5,
    altitude: undefined,
  })
  assert.equal(parseLocation('+90-180-430.5CRSWGS_84/'), { latitude: 90, longitude: -180, altitude: -430.5 })
})

test('no place is no place', () => {
  for (const text of [
    '',
    '48.1,11.5',
    '+00.0000+000.0000/',
    '+91.0+000.5/',
    '+10.0+181.0/',
    '+4807.5',
    'Rome',
  ])
    assert.is(parseLocation(text), undefined, text)
})

test.run()

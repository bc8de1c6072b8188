import { assert, suite } from '#support/runner/suite'
import { fieldsOf, PLAIN } from '../../../../../../local-runner/ui/studio/photo/options'

const test = suite('options of the studio')

const fields = (change: Partial<typeof PLAIN>, hasSound = false) =>
  fieldsOf({ ...PLAIN, ...change }, hasSound).map(([name, value]) => `${name}=${String(value)}`)

test('what the service does by itself is not asked for', () => {
  assert.equal(fields({}), ['profile=universal'])
})

test('each choice is a field of the API', () => {
  assert.equal(
    fields({
      crop: { x: 0, y: 120, width: 640, height: 480 },
      rotate: '270',
      repeat: 3,
      hdr: true,
      metadata: 'none',
      profile: 'all',
    }),
    ['profile=all', 'crop=640x480+0+120', 'rotate=270', 'repeat=3', 'hdr=true', 'metadata=none'],
  )
  assert.equal(fields({ cover: 'source' }), ['profile=universal', 'cover=source'])
})

test('what excludes each other is not asked for together', () => {
  assert.equal(fields({ hdr: true, cover: 'source' }), ['profile=universal', 'cover=source'])
  assert.equal(fields({ hdr: true, profile: 'apple' }), ['profile=apple'])
  assert.equal(fields({ repeat: 3 }, true), ['profile=universal'])
  assert.equal(fields({ cover: 'file' }), ['profile=universal'], 'no file is chosen')
})

test.run()

import {
  decodeUpload,
  encodeUpload,
  isMediaType,
  mayBeSentAs,
  uploadIdOfKey,
  uploadKeys,
} from '#internal/media/uploads/upload'
import { assert, suite } from '#support/runner/suite'
import { loopMs, processorMs } from '#support/values/processorTime'

const test = suite('an upload')
const upload = {
  id: '0f8fad5bd9cb469fa16570867728950e',
  createdAt: 1_795_000_000,
  expiresAt: 1_795_003_600,
  size: 2_147_483_649,
  contentType: 'video/webm; codecs="vp9,opus"',
}

test('is read as it was written', () => {
  assert.equal(decodeUpload(encodeUpload(upload)), upload)
})

test('its record holds the fields by their names on the wire', () => {
  assert.equal(JSON.parse(new TextDecoder().decode(encodeUpload(upload))), {
    upload_id: upload.id,
    created_at: upload.createdAt,
    expires_at: upload.expiresAt,
    size: upload.size,
    content_type: upload.contentType,
  })
})

test('a record that is cut or is none is no upload', () => {
  const whole = encodeUpload(upload)
  for (let length = 0; length < whole.length; length++)
    assert.is(decodeUpload(whole.subarray(0, length)), undefined, String(length))
  for (const text of ['null', '{}', '[]', '{"upload_id":"x","created_at":1,"size":0,"content_type":"x"}'])
    assert.is(decodeUpload(new TextEncoder().encode(text)), undefined, text)
})

test('every key tells its upload, and no other key does', () => {
  for (const key of Object.values(uploadKeys(upload.id))) assert.is(uploadIdOfKey(key), upload.id, key)
  const others = ['', 'uploads/', `uploads/${upload.id}x`, `uploads/${upload.id}/x`, `sessions/${upload.id}`]
  for (const key of others) assert.is(uploadIdOfKey(key), undefined, key)
})

test('media types are told from what is none', () => {
  const some = [
    'video/mp4',
    'application/vnd.x+y',
    'a/b;c=d',
    'video/webm; codecs="vp9, opus";x=1',
    'image/*',
  ]
  for (const type of some) assert.ok(isMediaType(type), type)
  const none = [
    ...['', '/', 'video', 'video/', '/mp4', 'a/b/c', 'a b/c', ' a/b', 'a/b '],
    ...['a/b;', 'a/b;c', 'a/b;c="', 'a/b;c=é'],
    ...['a/b\r\nX-Other: 1', 'a/b;c="\n"', 'a/b\0', `a/${'b'.repeat(199)}`],
  ]
  for (const type of none) assert.not.ok(isMediaType(type), JSON.stringify(type))
})

test('no text takes long to be told from a media type', () => {
  const limit = loopMs(20_000_000)
  for (const part of ['a/b', ' ;', ';a=', '="', '!', ';a="b"', '\t'])
    for (const text of [`a/b${part.repeat(80)}`, `a/b;a=${part.repeat(60)}`]) {
      const took = processorMs(() => void isMediaType(text))
      assert.ok(took < limit, `${took.toFixed(0)} of ${limit.toFixed(0)} ms for ${JSON.stringify(text)}`)
    }
})

test('a file may be sent as what was announced, in any spelling, or as plain bytes', () => {
  for (const type of [upload.contentType, 'VIDEO/webm;codecs="VP9,opus"', 'application/octet-stream'])
    assert.ok(mayBeSentAs(type, upload), type)
  for (const type of ['', 'video/webm', 'video/mp4', 'application/octet-stream;x=1'])
    assert.not.ok(mayBeSentAs(type, upload), type)
})

test.run()

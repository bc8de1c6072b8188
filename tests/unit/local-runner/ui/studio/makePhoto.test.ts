import { resolveObjectURL } from 'node:buffer'
import { openFakePage } from '#support/browser/fakePage'
import { assert, suite } from '#support/runner/suite'
import { PLAIN } from '../../../../../local-runner/ui/studio/options'

const page = openFakePage()
const { makePhoto } = await import('../../../../../local-runner/ui/studio/makePhoto')

const test = suite('making a photo on the page')
const { signal } = new AbortController()
const SESSION = {
  session_id: 'id',
  duration: 3,
  width: 64,
  height: 48,
  has_audio: true,
  has_still: false,
  frames: 90,
  expires_at: 0,
}
const CHOICE = {
  cut: { start: 15, end: 60, cover: 30 },
  speed: 2,
  keepsSound: false,
  isOriginal: true,
  options: PLAIN,
}
const INSPECTION = { clip: { offset: 2, bytes: 3, duration: 1 }, galleries: [] }

/** @param headers of the photo's response */
function answerWith(headers: Record<string, string>, inspection: object = INSPECTION) {
  page.asked.length = 0
  page.answer = async ({ path }) => {
    if (path === 'convert') return new Response('0123456', { headers })
    return path === 'inspect' ? Response.json(inspection) : new Response('still')
  }
}
const paths = () => page.asked.map(({ path }) => path)

test('frames are sent as seconds, in a form only when there is a file in it', async () => {
  answerWith({})
  await makePhoto(SESSION, CHOICE, signal)
  const body = page.asked[0]?.init.body
  assert.instance(body, URLSearchParams)
  const sent = Object.fromEntries(new URLSearchParams(String(body)))
  const { session_id, range_start, range_end, cover_time, mute, quality } = sent
  assert.equal([session_id, range_start, range_end, cover_time], ['id', '0.5', '2', '1'])
  assert.equal([mute, quality, sent.speed], ['true', 'source', '2'])
  const options = { ...PLAIN, donor: new File(['x'], 'donor.jpg') }
  await makePhoto(SESSION, { ...CHOICE, options }, signal)
  assert.instance(page.asked[2]?.init.body, FormData)
})

test('a photo has its name, its clip and what galleries make of it', async () => {
  answerWith({
    'Content-Disposition': 'attachment; filename="a.jpg"',
    'X-Clip-Quality': 'source',
    'X-Ultra-HDR': 'edited',
  })
  const photo = await makePhoto(SESSION, CHOICE, signal)
  assert.equal(paths(), ['convert', 'inspect'])
  assert.equal([photo.name, photo.quality, photo.ultraHdr], ['a.jpg', 'source', 'edited'])
  assert.equal([photo.inspection, photo.addresses.length], [INSPECTION, 3])
  assert.is(await resolveObjectURL(photo.clip ?? '')?.text(), '234')
  answerWith({}, { ...INSPECTION, clip: null })
  const still = await makePhoto(SESSION, CHOICE, signal)
  assert.equal(
    [still.name, still.quality, still.clip, still.addresses.length],
    ['photo_MP.jpg', 'preview', undefined, 2],
  )
})

test('of a ZIP the still is taken out, and one for all galleries is not judged', async () => {
  answerWith({ 'Content-Type': 'application/zip' })
  const options = { ...PLAIN, profile: 'all' } as const
  const photo = await makePhoto(SESSION, { ...CHOICE, options }, signal)
  assert.equal(paths(), ['convert', 'inspect', 'extract'])
  assert.equal([photo.name, photo.inspection], ['photo.zip', undefined])
  const form = page.asked[2]?.init.body
  assert.is(form instanceof FormData && form.get('what'), 'still')
})

test.run()

import * as assert from 'uvu/assert'
import type { Contract } from './contract'
import { convert, jsonOf, post, postJson, prepared, refused } from './requests'

/** Removing a session, and looking at one. */
export function cleanupCases({ test, open, clips, session }: Contract): void {
  test('POST /cleanup removes the session, which is 404 everywhere from then on', async () => {
    const { session_id } = await prepared(open(), clips().silent)
    const response = await postJson(open(), '/cleanup', { session_id })
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
    const body = await jsonOf<{ message: string }>(response)
    assert.equal(Object.keys(body), ['message'])
    assert.match(body.message, /removed/)

    await refused(postJson(open(), '/cleanup', { session_id }), 404)
    await refused(open().send(`/preview/${session_id}.mp4`), 404)
    await refused(open().send(`/sessions/${session_id}`), 404)
    await refused(postJson(open(), '/thumbnail', { session_id, timestamp: 0 }), 404)
    for (const name of ['strip.jpg', 'frames/0.jpg'])
      await refused(open().send(`/sessions/${session_id}/${name}`), 404)
    const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
    await refused(convert(open(), fields), 404)
    assert.is((await open().send(`/sessions/${session().session_id}`)).status, 200, 'others stay')
  })

  test('POST /cleanup takes either kind of form', async () => {
    for (const form of [new FormData(), new URLSearchParams()]) {
      await refused(post(open(), '/cleanup', form), 422, /^session_id is missing/)
      const { session_id } = await prepared(open(), clips().gif)
      form.append('session_id', session_id)
      assert.is((await post(open(), '/cleanup', form)).status, 200)
      await refused(post(open(), '/cleanup', form), 404)
    }
  })

  test('POST /cleanup of an unknown session is 404, without one 422', async () => {
    for (const session_id of ['0'.repeat(32), 'x', '../../x', 'a'.repeat(60_000)])
      await refused(postJson(open(), '/cleanup', { session_id }), 404)
    for (const body of [{}, { session_id: 1 }, { session_id: null }, { session_id: '' }])
      await refused(postJson(open(), '/cleanup', body), 422, /^session_id /)
    await refused(postJson(open(), '/cleanup', '{'), 400)
    const plain = { headers: { 'Content-Type': 'text/plain' } }
    await refused(post(open(), '/cleanup', JSON.stringify({ session_id: 'x' }), plain), 415)
  })

  test('GET /sessions tells what a session holds, and not where', async () => {
    const response = await open().send(`/sessions/${session().session_id}`)
    assert.is(response.status, 200)
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    const { created_at, ...rest } = await jsonOf(response)
    assert.equal(rest, { ...session(), duration_ms: 2000 })
    assert.is(created_at, session().expires_at - 86_400)
    const head = await open().send(`/sessions/${session().session_id}`, { method: 'HEAD' })
    assert.is(head.status, 200)
    assert.is(await head.text(), '')
    for (const id of ['0'.repeat(32), 'x', '..%2f..', session().session_id.slice(1)])
      await refused(open().send(`/sessions/${id}`), 404)
  })
}

import * as assert from 'uvu/assert'
import type { Contract } from './contract'
import { mismatches, type OpenApi } from './openApi'
import {
  allowed,
  eventsOf,
  formOf,
  jsonOf,
  post,
  prepare,
  prepareUpload,
  put,
  refused,
  uploaded,
} from './requests'

/** How a client follows the preparation of a video, and cancels it. */
export function progressCases({ test, open, clips, traits }: Contract): void {
  const asEvents = { headers: { Accept: 'text/event-stream' } }
  const ours = test.skipUnless(traits.presigns === undefined, traits.presigns ?? '')

  test('a preparation is told as events, the result is that of the ordinary answer', async () => {
    const response = await prepare(open(), clips().talking, asEvents)
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/event-stream/)
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    const events = eventsOf(await response.text())
    const stages = events.filter(({ event }) => event === 'progress').map(({ data }) => data.stage)
    assert.equal([...new Set(stages)], ['receiving', 'reading', 'preparing', 'storing'])
    const last = events.at(-1)
    assert.is(last?.event, 'result')
    const { components }: OpenApi = await jsonOf(await open().send('/openapi.json'))
    assert.equal(mismatches(last?.data ?? {}, components.schemas.PrepareResult ?? {}), [])
    for (const { event, data } of events) {
      if (event === 'progress') assert.equal(mismatches(data, components.schemas.PrepareProgress ?? {}), [])
    }
    const session = await open().send(`/sessions/${last?.data.session_id}`)
    assert.is(session.status, 200)
    const { created_at, duration_ms, ...summary } = await jsonOf(session)
    assert.equal(summary, last?.data)
  })

  test('so is that of an upload', async () => {
    const id = await uploaded(open(), clips().gif, 'image/gif')
    const events = eventsOf(await (await prepareUpload(open(), id, asEvents)).text())
    assert.equal(events[0], { event: 'progress', data: { stage: 'reading' } })
    assert.is(events.at(-1)?.event, 'result')
  })

  test('what can be refused at once keeps its status', async () => {
    const text = new TextEncoder().encode('no film '.repeat(1000))
    await refused(prepare(open(), text, asEvents), 400, /not a video/)
    await refused(post(open(), '/prepare', undefined, asEvents), 400, /multipart/)
    await refused(prepareUpload(open(), '0'.repeat(32), asEvents), 404, /no such upload/)
    const { upload_id } = await allowed(open(), 5)
    await refused(prepareUpload(open(), upload_id, asEvents), 409, /not arrived/)
  })

  test('a later failure is an event with code, detail and status, and then comes the end', async () => {
    const half = clips().silent.subarray(0, 3000)
    const response = await prepare(open(), half, asEvents)
    assert.is(response.status, 200)
    const events = eventsOf(await response.text())
    const { event, data } = events.at(-1) ?? {}
    assert.equal([event, data?.code, data?.status], ['error', 'invalid-request', 400])
    assert.match(String(data?.detail), /damaged/)
    const body = formOf(clips().silent, 'file', { from: '5' })
    const late = eventsOf(await (await post(open(), '/prepare', body, asEvents)).text())
    assert.equal([late.at(-1)?.event, late.at(-1)?.data.status], ['error', 422])
  })

  test('an upload is shown from its beginning to its end', async () => {
    const upload = await allowed(open(), clips().gif.length, 'image/gif')
    const { components }: OpenApi = await jsonOf(await open().send('/openapi.json'))
    const state = async () => {
      const response = await open().send(`/uploads/${upload.upload_id}`)
      assert.is(response.status, 200)
      assert.is(response.headers.get('Cache-Control'), 'no-store')
      const shown = await jsonOf(response)
      assert.equal(mismatches(shown, components.schemas.UploadProgress ?? {}), [])
      return shown
    }
    const { upload_id, expires_at } = upload
    const size = clips().gif.length
    assert.equal(await state(), { upload_id, state: 'allowed', size, expires_at })
    assert.is((await put(open(), upload, clips().gif)).status, 200)
    assert.is((await state()).state, 'received')
    const { session_id } = await jsonOf(await prepareUpload(open(), upload.upload_id))
    assert.equal(await state(), { upload_id: upload.upload_id, state: 'done', session_id })
  })

  test('a refused upload tells why, one that can be prepared again when it expires', async () => {
    const id = await uploaded(open(), clips().still, 'image/png')
    await refused(prepareUpload(open(), id), 400)
    const shown = await jsonOf(await open().send(`/uploads/${id}`))
    assert.equal([shown.state, shown.expires_at], ['failed', undefined])
    const { code, status, detail } = shown.error as Record<string, unknown>
    assert.equal([code, status], ['invalid-request', 400])
    assert.match(String(detail), /still image/)
    const other = await uploaded(open(), clips().gif, 'image/gif')
    const body = new URLSearchParams({ upload_id: other, from: '5' })
    await refused(post(open(), '/prepare', body), 422)
    const again = await jsonOf(await open().send(`/uploads/${other}`))
    assert.is(again.state, 'failed')
    assert.type(again.expires_at, 'number')
    assert.is((await prepareUpload(open(), other)).status, 200)
  })

  test('a cancelled upload is gone; an unknown one is 404, a finished one 409', async () => {
    const cancel = (id: string) => open().send(`/uploads/${id}`, { method: 'DELETE' })
    const id = await uploaded(open(), clips().gif, 'image/gif')
    const response = await cancel(id)
    assert.is(response.status, 200)
    assert.equal(await response.json(), { message: 'The upload is cancelled.' })
    await refused(prepareUpload(open(), id), 404)
    assert.is((await jsonOf(await open().send(`/uploads/${id}`))).state, 'cancelled')
    await refused(cancel(id), 409, /cancelled already/)
    for (const unknown of ['0'.repeat(32), 'x']) {
      await refused(cancel(unknown), 404)
      await refused(open().send(`/uploads/${unknown}`), 404)
    }
    const done = await uploaded(open(), clips().gif, 'image/gif')
    assert.is((await prepareUpload(open(), done)).status, 200)
    await refused(cancel(done), 409, /prepared already/)
  })

  ours('a cancelled upload takes no file', async () => {
    const upload = await allowed(open(), clips().gif.length, 'image/gif')
    assert.is((await open().send(`/uploads/${upload.upload_id}`, { method: 'DELETE' })).status, 200)
    await refused(put(open(), upload, clips().gif), 404)
  })
}
